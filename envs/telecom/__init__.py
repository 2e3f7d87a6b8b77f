"""The telecom domain: agent and user both have tools, over the operator's records and a phone."""
