"""What a configuration would run: steps, tokens, user calls, cost and memory. Nothing is trained or asked for."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mua_env.errors import MissingExtra, missing_extra
from mua_env.training.config import TrainConfig
from mua_env.training.expected import ExpectedDialogue, expect_dialogues
from mua_env.training.memory import GIB, Shape, memory_of, shape_of, shape_of_config

if TYPE_CHECKING:
    from mua_env.training.demonstrations import Demonstrations

Price = tuple[float, float]


@dataclass(frozen=True)
class Phase:
    """A part of a run.

    Attributes:
        name: of the part.
        updates: of the weights.
        dialogues: that are held.
        agent: who holds them: ``expert`` or ``model``.
        held_out: whether they are with the users that success is measured with.
        details: lines of text.
    """

    name: str
    updates: int
    dialogues: int
    agent: str
    details: tuple[str, ...] = ()
    held_out: bool = False


@dataclass(frozen=True)
class Plan:
    """What would run.

    Attributes:
        config: the settings.
        phases: in order.
        expected: of a dialogue.
        prices: US dollars of a prompt and a completion token of the user's model, in training and on held-out tasks;
            None where it costs nothing or its price is not known.
        shape: of the model; None where it is not at hand.
        memory: bytes by part, for one process.
        notes: what the figures leave out.
    """

    config: TrainConfig
    phases: tuple[Phase, ...]
    expected: ExpectedDialogue
    prices: tuple[Price | None, Price | None]
    shape: Shape | None
    memory: dict[str, float]
    notes: tuple[str, ...] = field(default=())

    @property
    def dialogues(self) -> int:
        """Dialogues that are held, in all phases."""
        return sum(phase.dialogues for phase in self.phases)

    @property
    def user_calls(self) -> float:
        """Replies of users, in all phases."""
        return self.dialogues * self.expected.replies

    @property
    def cost(self) -> float | None:
        """US dollars for the user's model; None where it costs nothing or its price is not known."""
        total = 0.0
        for phase in self.phases:
            price = self.prices[int(phase.held_out)]
            if price is None and phase.dialogues:
                return None
            if price is not None:
                each = self.expected.user_prompt * price[0] + self.expected.user_completion * price[1]
                total += phase.dialogues * each
        return total

    def text(self) -> str:
        """The plan in lines."""
        return "\n".join(_lines(self))


def plan_run(config: TrainConfig) -> Plan:
    """Work a configuration out.

    Raises:
        ConfigError: it cannot be, or TRL refuses a setting.
        DomainError, TaskError: its tasks cannot be had.
        MissingExtra: the [train] extra is not installed, or [llm] for the price of a user's model.
    """
    from mua_env.training.pool import make_mixed_pool

    try:
        from mua_env.training.grpo import trl_config, updates_a_batch
    except MissingExtra:
        raise missing_extra("train", needed_by="a plan") from None
    expected, held = expect_dialogues(config)
    pool, test = make_mixed_pool(config.environment), make_mixed_pool(config.environment, held_out=True)
    try:
        sizes, held_out = len(pool), len(test)
        named = pool.name
    finally:
        pool.close()
        test.close()
    phases: list[Phase] = []
    tasks = min(config.evaluation.tasks or held_out, held_out)
    measured = tasks * config.evaluation.repeats
    if config.cold_start is not None:
        phases += _cold_start(config, len(held.dialogues) / min(16, sizes))
    checkpointing = False
    if config.grpo is not None:
        args = trl_config(config, folder=os.devnull)
        checkpointing = bool(args.gradient_checkpointing)
        batches = int(sizes // config.grpo.queries * config.grpo.epochs)
        updates = args.max_steps if args.max_steps > 0 else max(1, batches) * updates_a_batch(args)
        batches = -(-updates // updates_a_batch(args))
        size = config.grpo.queries * config.grpo.rollouts
        detail = f"{batches:,} batches of {config.grpo.queries} queries x {config.grpo.rollouts} rollouts"
        epochs = batches * config.grpo.queries / sizes
        phases.append(
            Phase("GRPO", updates, batches * size, "model", (f"{detail}, {epochs:.3g} passes over {sizes:,} tasks",))
        )
        times = 1 + int(config.cold_start is None)
        times += max(0, -(-updates // config.evaluation.every) - 1) if config.evaluation.every else 0
        detail = f"{times} x {measured:,} dialogues on held-out tasks"
        phases.append(Phase("measurements of GRPO", 0, times * measured, "model", (detail,), held_out=True))
    if config.cold_start is not None:
        before = measured if config.model.path else min(10, tasks)
        detail = f"{before:,} dialogues before, {measured:,} after"
        phases.append(Phase("measurements of the cold start", 0, before + measured, "model", (detail,), held_out=True))
    shape = _shape(config, held)
    return Plan(
        config=config,
        phases=tuple(phases),
        expected=expected,
        prices=(_price(config, config.environment.user_options), _price(config, _held_out_options(config))),
        shape=shape,
        memory={} if shape is None else _memory(config, shape, checkpointing),
        notes=(f"tasks: {named}", *_notes(config)),
    )


def _cold_start(config: TrainConfig, kept: float) -> list[Phase]:
    import math

    cold = config.cold_start
    assert cold is not None
    examples = round(cold.trajectories * kept) * (1 + cold.renumbered) * (1 + cold.shuffled)
    updates = max(1, math.ceil(examples / cold.batch * cold.epochs / (1 - cold.drill - cold.window)))
    share = f"{kept:.0%}" if kept < 1 else "all"
    solved = f"{share} of the sampled ones {'were solved' if cold.keep == 'solved' else 'are kept'}"
    return [
        Phase("expert dialogues", 0, cold.trajectories, "expert", (f"{cold.expert_style} style; {solved}",)),
        Phase(
            "cold start", updates, 0, "model", (f"{examples:,} dialogues, batch {cold.batch}, {cold.epochs:g} epochs",)
        ),
    ]


def _notes(config: TrainConfig) -> list[str]:
    notes, grpo = [], config.grpo
    if grpo is not None and grpo.dynamic_sampling:
        notes.append(
            f"groups that are drawn anew are not in it: at most {grpo.dynamic_sampling} times GRPO's dialogues"
        )
    if grpo is not None and grpo.turn_credit is not None:
        more = grpo.turn_credit.points * grpo.turn_credit.continuations
        notes.append(
            f"the forks of turn-level credit are not in it: at most {more} shorter dialogues for each of GRPO's"
        )
    strategy = config.environment.user_options.get("strategy", "llm")
    if config.environment.user == "llm" and strategy not in ("llm", "brief"):
        notes.append(f"the user's strategy {strategy!r} asks its model more than once for a reply: cost is higher")
    return notes


def _shape(config: TrainConfig, held: Demonstrations) -> Shape | None:
    if config.model.path is not None:
        return shape_of(config.model.path)
    from mua_env.training.models import start_from_nothing

    model, _ = start_from_nothing(held, config.model.scratch, seed=0)
    return shape_of_config(model.config)


def _memory(config: TrainConfig, shape: Shape, checkpointing: bool) -> dict[str, float]:
    grpo, cold = config.grpo, config.cold_start
    sequences = grpo.micro_batch if grpo is not None else cold.micro_batch if cold is not None else 1
    held = [config.evaluation.batch, grpo.queries * grpo.rollouts if grpo is not None else 0]
    return memory_of(
        shape,
        number=2 if config.model.dtype == "bfloat16" else 4,
        sequences=sequences,
        tokens=config.lengths.total,
        dialogues=max(held),
        reference=grpo is not None and grpo.beta > 0,
        checkpointing=checkpointing,
    )


def _held_out_options(config: TrainConfig) -> dict[str, Any]:
    given = config.environment.held_out_user_options
    return config.environment.user_options if given is None else given


def _price(config: TrainConfig, options: dict[str, Any]) -> Price | None:
    """From LiteLLM's own table, which its package holds: nothing is asked for."""
    model = options.get("model")
    if config.environment.user != "llm" or not isinstance(model, str):
        return None
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    try:
        import litellm
    except ImportError:
        raise missing_extra("llm", needed_by="the price of a user's model") from None
    table: dict[str, Any] = litellm.model_cost
    entry = table.get(model) or table.get(model.partition("/")[2]) or {}
    if "input_cost_per_token" not in entry:
        return None
    return float(entry["input_cost_per_token"]), float(entry.get("output_cost_per_token", 0.0))


def _lines(plan: Plan) -> list[str]:
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
    updates = sum(phase.dialogues for phase in plan.phases if phase.name == "GRPO")
    lines += [
        "",
        "In all",
        f"  {plan.dialogues:,} dialogues, {plan.user_calls:,.0f} user replies",
        f"  {by_model * expected.agent / 1e6:,.2f} million tokens sampled by the model, "
        f"{by_model * expected.tokens / 1e6:,.2f} million read once, {updates * expected.tokens / 1e6:,.2f} million "
        "trained on by GRPO (environment's included, which carry no loss)",
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
    models = (environment.user_options.get("model"), _held_out_options(plan.config).get("model"))
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
