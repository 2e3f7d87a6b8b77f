"""What a configuration would run: steps, tokens, user calls, cost and memory. Nothing is trained or asked for."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mua_env.errors import MissingExtra, missing_extra
from mua_env.training.config.train import TrainConfig
from mua_env.training.plan.expected import ExpectedDialogue, expect_dialogues
from mua_env.training.plan.memory import Shape, memory_of, shape_of, shape_of_config

if TYPE_CHECKING:
    from trl.trainer.grpo_config import GRPOConfig
    from trl.trainer.sft_config import SFTConfig

    from mua_env.training.data.demonstrations import Demonstrations

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
        trained: dialogues that the weights are trained on, each counted as often as it is.
        details: lines of text.
    """

    name: str
    updates: int
    dialogues: int
    agent: str
    details: tuple[str, ...] = ()
    held_out: bool = False
    trained: float = 0.0


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
        from mua_env.training.plan.text import lines_of

        return "\n".join(lines_of(self))


def plan_run(config: TrainConfig) -> Plan:
    """Work a configuration out.

    Raises:
        ConfigError: it cannot be, or TRL refuses a setting.
        DomainError, TaskError: its tasks cannot be had.
        MissingExtra: the [train] extra is not installed, or [llm] for the price of a user's model.
    """
    from mua_env.training.rollout.pool import make_mixed_pool

    try:
        from mua_env.training.trainers.grpo_config import check_scaling, trl_config, updates_a_batch
    except MissingExtra:
        raise missing_extra("train", needed_by="a plan") from None
    config.check_phases()
    expected, held = expect_dialogues(config)
    pool, test = make_mixed_pool(config.environment), make_mixed_pool(config.environment, held_out=True)
    try:
        sizes, held_out = len(pool), len(test)
        named = pool.name
    finally:
        pool.close()
        test.close()
    phases: list[Phase] = []
    cold: SFTConfig | None = None
    tasks = min(config.evaluation.tasks or held_out, held_out)
    measured = tasks * config.evaluation.repeats
    if config.cold_start is not None:
        if config.cold_start.trl is not None:
            from mua_env.training.trainers.sft import sft_config

            cold = sft_config(config.cold_start, folder=os.devnull, seed=0)
        phases += _cold_start(config, len(held.dialogues) / min(16, sizes))
    args = None
    if config.grpo is not None:
        args = trl_config(config, folder=os.devnull)
        check_scaling(args)
        size, rollouts = int(args.generation_batch_size or 0), int(args.num_generations or 1)
        queries = size // rollouts
        batches = int(sizes // queries * args.num_train_epochs)
        updates = args.max_steps if args.max_steps > 0 else max(1, batches) * updates_a_batch(args)
        batches = -(-updates // updates_a_batch(args))
        detail = f"{batches:,} batches of {queries} queries x {rollouts} rollouts"
        detail = f"{detail}, {batches * queries / sizes:.3g} passes over {sizes:,} tasks"
        trained = float(batches * size * args.num_iterations)
        phases.append(Phase("GRPO", updates, batches * size, "model", (detail,), trained=trained))
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
        prices=(_price(config, held_out=False), _price(config, held_out=True)),
        shape=shape,
        memory={} if shape is None else _memory(config, shape, args, cold),
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
            "cold start",
            updates,
            0,
            "model",
            (f"{examples:,} dialogues, batch {cold.batch}, {cold.epochs:g} epochs",),
            trained=examples * cold.epochs,
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
    from mua_env.training.tiny_model.start import start_from_nothing

    model, _ = start_from_nothing(held, config.model.scratch, seed=0)
    return shape_of_config(model.config)


def _memory(config: TrainConfig, shape: Shape, args: GRPOConfig | None, cold: SFTConfig | None) -> dict[str, float]:
    """Of GRPO, with what TRL is given; of the cold start where there is no GRPO."""
    lora, trained = config.model.lora, args or cold
    own = config.cold_start.micro_batch if config.cold_start is not None else 1
    return memory_of(
        shape,
        number=2 if config.model.dtype == "bfloat16" else 4,
        sequences=own if trained is None else trained.per_device_train_batch_size,
        tokens=config.lengths.total,
        dialogues=max(config.evaluation.batch, 0 if args is None else int(args.generation_batch_size or 0)),
        reference=args is not None and args.beta > 0,
        checkpointing=trained is not None and bool(trained.gradient_checkpointing),
        adapters=0 if lora is None else shape.adapters(lora.rank),
        mixed=config.model.mixed(),
    )


def _price(config: TrainConfig, *, held_out: bool) -> Price | None:
    """From LiteLLM's own table, which its package holds: nothing is asked for."""
    model = config.environment.options_of_users(held_out=held_out).get("model")
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
