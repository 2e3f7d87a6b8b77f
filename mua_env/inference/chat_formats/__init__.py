"""How model families write the agent's turns.

families          all that are known, and the one that a chat template is made for
dialect           what a family is: its form of calls, its thoughts, what ends a turn
json_calls, tagged_calls, literal_calls
                  calls as JSON, with each argument between tags, as literals of a language that is nearly JSON
addressed_turns   families whose turns are several messages: gpt-oss, Muse Glimmer
argument_types    values that are written as plain text, typed by a tool's schema, and how the JSON of a call is written
"""
