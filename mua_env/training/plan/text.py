"""A plan as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mua_env.training.plan.memory import GIB

if TYPE_CHECKING:
    from mua_env.training.plan.plan import Plan


def lines_of(plan: Plan) -> list[str]:
    """Phases, a dialogue, sums and memory, a line each."""
    config, expected = plan.config, plan.expected
    lines = [f"{config.name}: nothing is run", "", *(f"  {note}" for note in plan.notes[:1]), "", "Phases"]
    lines += [
        f"  {phase.name:<32}{phase.updates:>7,} updates{phase.dialogues:>10,} dialogues   {'; '.join(phase.details)}"
        for phase in plan.phases
    ]
    lines += [
        "",
        f"A dialogue, by {expected.sampled} of the scripted expert with the offline user, tokens {expected.counted}",
        f"  {expected.turns:.1f} turns, {expected.replies:.1f} user replies, {expected.tokens:,.0f} tokens: "
        f"{expected.prompt:,.0f} before the first turn, {expected.agent:,.0f} of the agent",
    ]
    by_model = sum(phase.dialogues for phase in plan.phases if phase.agent == "model")
    trained = sum(phase.trained for phase in plan.phases)
    lines += [
        "",
        "In all",
        f"  {plan.dialogues:,} dialogues, {plan.user_calls:,.0f} user replies",
        f"  {by_model * expected.agent / 1e6:,.2f} million tokens sampled by the model, "
        f"{by_model * expected.tokens / 1e6:,.2f} million read once, {trained * expected.tokens / 1e6:,.2f} million "
        "trained on (environment's included, which carry no loss)",
        f"  {_cost(plan)}",
        "",
        *_memory_lines(plan),
    ]
    lines += [f"  note: {note}" for note in plan.notes[1:]]
    return lines


def _cost(plan: Plan) -> str:
    environment = plan.config.environment
    if environment.user != "llm":
        return f"the user {environment.user!r} costs nothing"
    models = [environment.options_of_users(held_out=held_out).get("model") for held_out in (False, True)]
    model = " and ".join(dict.fromkeys(map(str, models)))
    read = plan.dialogues * plan.expected.user_prompt / 1e6
    written = plan.dialogues * plan.expected.user_completion / 1e6
    used = f"{read:,.1f} million prompt and {written:,.2f} million completion tokens of {model}"
    if plan.cost is None:
        return f"{used}; LiteLLM knows no price for it"
    return f"about ${plan.cost:,.0f} for {used}, at list price without caching"


def _memory_lines(plan: Plan) -> list[str]:
    config, shape = plan.config, plan.shape
    if shape is None:
        return [f"Memory: not known, {config.model.path!r} is neither a folder nor in the local cache"]
    total = sum(plan.memory.values())
    parts = ", ".join(f"{name} {_size(size)}" for name, size in plan.memory.items())
    return [
        f"Memory of one process that holds the whole model of {shape.parameters:,} parameters, at most",
        f"  {_size(total)}: {parts}",
        f"  at the limit of {config.lengths.total:,} tokens a dialogue; at the expected {plan.expected.tokens:,.0f} "
        f"activations, logits and cache take {plan.expected.tokens / config.lengths.total:.0%} of theirs",
    ]


def _size(bytes_: float) -> str:
    return f"{bytes_ / GIB:,.1f} GiB" if bytes_ >= GIB else f"{bytes_ / GIB * 1024:,.0f} MiB"
