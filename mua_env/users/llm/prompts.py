"""The prompts of the LLM user. Each strategy's text has a version that every trajectory carries."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Literal, get_args

Strategy = Literal["llm", "react", "verify", "reflection", "brief"]
"""How a reply comes about: at once; after a thought; checked by a second call; criticised and rewritten; at once
from a short briefing without rules, for a model that was trained to be the user."""

STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)
STOP = "###STOP###"
ENDINGS = {STOP: "done", "###TRANSFER###": "transferred", "###OUT-OF-SCOPE###": "out_of_scope"}
"""What ends a dialogue in a user's line, and how it ended. The prompts ask for the first; a model that knows tau2-bench
may write the others, which end it there as well."""
EDITION = 1
"""Raised by hand when the wording changes on purpose; the hash in the version catches the rest."""

_BRIEFING = """\
You play a customer who is writing with a service agent. The agent cannot see this briefing.

Your situation and what you want:
<briefing>
{instruction}
</briefing>

How to play the customer:
- Write only what the customer would write next: plain text, one message, usually one or two sentences.
- Open with what you want in your own words. Do not recite the briefing, and raise one matter at a time.
- Tell a detail (name, e-mail, number, address, payment, preference) only once the agent asks for it or a
  choice depends on it.
- The briefing is all that you know. When you are asked for something that it does not say, answer that you
  do not know or do not have it. Never make up a value.
- Compare what the agent proposes with the briefing. Agree only if it fits; otherwise say what is wrong.
- If the briefing says how you react to an answer, react so. Hold to your wishes when the agent is vague,
  and accept a clear refusal.
{hands}: never write the agent's part, never claim to have
  carried out its steps.
- A confirmation is not the end: after you agree to something, wait until the agent reports that it is done.
- When every matter has been carried out or clearly declined, or you have been handed to a human, write
  {stop} and nothing else. Never write it earlier.
"""

_BRIEF = """\
You are a customer who writes with a service agent. Say only what is asked for, and nothing that is not written here.
When everything is done or declined, end with {stop}

{instruction}"""

_NO_TOOLS = "- You have no tools and do none of the agent's work"
_TOOLS = """\
- You have tools, for what is in your own hands (a device, a switch). Call one only when the agent asks you to look
  at or do what it is for, never on your own account, and only as often as you are asked. The agent sees neither
  the call nor its result: tell in your own words what you saw or did, and nothing beyond it. If it fails, say so.
- You do none of the agent's work"""

_FORMAT = {
    "llm": "",
    "verify": "",
    "reflection": "",
    "react": """
Answer in exactly this form, on two lines:
Thought: what the agent asked or did, what the briefing says about it, what follows (the agent never sees it)
Reply: the customer's message, or {stop}
""",
}

_CHECK = """\
You check the lines of somebody who plays a customer. Below are the customer's briefing, the dialogue so far,
and the line that the player wants to send next.

<briefing>
{instruction}
</briefing>
<dialogue>
{dialogue}
</dialogue>
<line>
{line}
</line>

The line is bad if it states a value that the briefing does not hold, agrees to what the briefing does not
want, reveals details that nobody asked for, speaks as the agent, or contains {stop} while a wish of the
briefing is still open or a confirmed step has not been reported as done. Otherwise it is good.
"""

_VERDICT = _CHECK + "Answer with one word: GOOD or BAD."

_CRITIQUE = (
    _CHECK
    + """Answer GOOD if the line is good. If it is bad, answer in exactly this form:
BAD: what is wrong, in one sentence
Better: the line that the customer should send instead"""
)


def system_prompt(strategy: Strategy, instruction: str, *, tools: bool = False) -> str:
    """What the model that plays the user is told; ``tools``: it has some of its own."""
    text = _BRIEF if strategy == "brief" else _BRIEFING + _FORMAT[strategy]
    return text.format(instruction=instruction.strip(), stop=STOP, hands=_TOOLS if tools else _NO_TOOLS)


def check_prompt(strategy: Strategy, *, instruction: str, dialogue: str, line: str) -> str:
    """The question about a draft, for the strategies `verify` and `reflection`."""
    text = _VERDICT if strategy == "verify" else _CRITIQUE
    return text.format(instruction=instruction.strip(), dialogue=dialogue, line=line, stop=STOP)


def prompt_version(strategy: Strategy, *, tools: bool = False) -> str:
    """As `react/1-3f9ac2`: strategy, edition, and a hash of the very text."""
    briefing = _BRIEFING.replace("{hands}", _TOOLS if tools else _NO_TOOLS)
    parts = [_BRIEF] if strategy == "brief" else [briefing, _FORMAT[strategy]]
    if strategy in ("verify", "reflection"):
        parts.append(_VERDICT if strategy == "verify" else _CRITIQUE)
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    return f"{strategy}/{EDITION}-{digest[:6]}"


PERSONA_PROMPTS: Mapping[str, tuple[str, ...]] = {
    "plain": ("You speak plainly.", "You say what is needed, in ordinary words."),
    "terse": ("You are short of words.", "You answer in as few words as you can."),
    "polite": ("You are polite.", "You are friendly and say thank you."),
    "chatty": ("You like to chat and drift a little.", "You talk a lot, also of things beside the point."),
    "confused": ("You are unsure of yourself and get muddled.", "You are easily confused and ask again."),
    "impatient": ("You are in a hurry.", "You have little patience and want this over with."),
}
"""How a persona is told to a language model in the instruction of a generated task, by its name; each text alone."""
