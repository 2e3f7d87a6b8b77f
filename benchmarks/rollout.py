"""The rollout driver: makespan with slow users, tokens read, and its share of a GRPO step.

    python benchmarks/rollout.py                 # everything; some minutes
    python benchmarks/rollout.py --skip-training # the makespan alone; under a minute

**Makespan.** Real dialogues of retail with its full policy document and tool schemas: real sessions, databases and
tokens. The turns are those of the scripted expert and the replies those of the agenda user; only the time that model
and user take is simulated: 0.3 to 2 seconds with a long tail for each user's reply. The model is timed in two ways.
``turns apart``: each turn takes 0.3 to 2 seconds of its own, whatever else is sampled, as with a server that has room.
``one batch``: a model in this process makes one token for all turns under way in each step of 15 milliseconds.

The ideal is a bound from below for any driver: the longest dialogue's own waiting, the sum of its users' and its
model's times, as if it were alone on an endless machine and all else took no time. ``measured`` is on a clock that
counts simulated waiting in full and, for all else, the seconds of the processor that this process uses: the time
on a core of its own, whatever else the machine does, with the model on a device of its own. ``rounds`` is what a
driver would need that samples a turn for every dialogue and then waits for every user, from the same times.

**A GRPO step.** The quick start with a short cold start; seconds of the processor by part of an update.

The script ends with status 1 when a goal is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import selectors
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from measure import show

from mua_env.core.messages import AssistantMessage
from mua_env.core.tasks import Task
from mua_env.episode.dialogue import hold
from mua_env.episode.setting import load_setting
from mua_env.inference.backends.base import Backend, TurnRequest
from mua_env.inference.backends.batching import Batcher
from mua_env.inference.chat_tokens import ChatTokens
from mua_env.inference.sampling import DecoderStats, SampledTurn
from mua_env.training.config.train import LengthConfig, load_config
from mua_env.training.rollout.driver import Dialogue, RolloutDriver
from mua_env.training.rollout.pool import DialoguePool
from mua_env.training.tiny_model.from_nothing import build_tokenizer
from mua_env.users.agenda.user import AgendaSession, AgendaUser
from mua_env.users.base import UserReply, UserSession, UserSimulator

STEP = 0.015
COLD_START = 1200
"""Expert dialogues before the measured updates: enough for dialogues of the usual length."""
GOALS = {"makespan over ideal": 1.05, "overhead of a step": 0.05, "tokens read over final length": 1.1}


def latency(rng: random.Random) -> float:
    """Seconds: 0.3 to 2, half of them under 0.5, one in twenty at 2."""
    return min(2.0, 0.3 * rng.paretovariate(1.5))


class CoreClock(asyncio.SelectorEventLoop):
    """An event loop on a core of its own: nobody really waits, and work takes the processor's time. What is run in a
    thread is taken to be done by another device, in `STEP` seconds, while the loop goes on."""

    def __init__(self) -> None:
        self.skipped = 0.0
        selector = selectors.DefaultSelector()
        self._select, selector.select = selector.select, self._wait  # type: ignore[method-assign]
        super().__init__(selector)

    def time(self) -> float:
        return time.process_time() + self.skipped

    def run_in_executor(self, executor: Any, work: Any, *args: Any) -> Any:  # type: ignore[override]
        future = self.create_future()
        self.call_later(STEP, future.set_result, work(*args))
        return future

    def _wait(self, timeout: float | None = None) -> Any:
        if timeout is None or timeout <= 0:
            return self._select(timeout)
        events = self._select(0)
        if not events:
            self.skipped += timeout
        return events


class SlowUser(UserSimulator):
    """The agenda user, whose replies take a while. Keeps what each dialogue's took, by the dialogue's seed."""

    name = "slow agenda"

    def __init__(self) -> None:
        self.inner, self.slow, self.waits = AgendaUser(persona="terse", noise=0), True, dict[int, list[float]]()

    def start(self, task: Task, *, seed: int, context: Mapping[str, Any] | None = None) -> UserSession:
        waits = self.waits[seed] = []
        return _SlowSession(self.inner.start(task, seed=seed, context=context), random.Random(seed), waits, self.slow)


class _SlowSession(UserSession):
    def __init__(self, inner: UserSession, rng: random.Random, waits: list[float], slow: bool) -> None:
        self.inner, self.rng, self.waits, self.slow = inner, rng, waits, slow

    def reply(self, agent_text: str | None) -> UserReply:
        return self.inner.reply(agent_text)

    async def areply(self, agent_text: str | None) -> UserReply:
        self.waits.append(latency(self.rng))
        await asyncio.sleep(self.waits[-1])
        return self.reply(agent_text)

    def fork(self) -> UserSession:
        return _SlowSession(self.inner.fork(), random.Random(self.rng.random()), list(self.waits), self.slow)


class Script:
    """The turns of each dialogue, as the expert took them, and the seconds that each takes."""

    def __init__(self, turns: Sequence[Sequence[Sequence[int]]]) -> None:
        self.turns = turns

    def begin(self) -> None:
        self.stats = DecoderStats()
        self.said = [0] * len(self.turns)
        self.waits: list[list[float]] = [[] for _ in self.turns]

    def next(self, row: int, read: int) -> SampledTurn:
        ids = list(self.turns[row][self.said[row]])
        self.said[row] += 1
        self.stats.read += read
        self.stats.sampled += len(ids)
        return SampledTurn(ids, [0.0] * len(ids))


class TurnsApart(Script):
    """A backend whose turns take their own time."""

    def begin(self, *, temperature: float = 1.0, seeds: Sequence[int] = ()) -> None:
        super().begin()
        self.clocks = [random.Random(seed) for seed in seeds]

    async def sample(self, row: int, ids: Sequence[int], budget: int) -> SampledTurn:
        self.waits[row].append(latency(self.clocks[row]))
        await asyncio.sleep(self.waits[row][-1])
        return self.next(row, len(ids))

    def drop(self, row: int) -> None:
        pass

    async def aclose(self) -> None:
        pass


class OneBatch(Script):
    """An engine that makes a token for all turns under way in each step."""

    def begin(self, *, temperature: float = 1.0, seeds: Sequence[int] = ()) -> None:
        super().begin()
        self.under_way: dict[int, tuple[int, SampledTurn]] = {}

    def step(self, requests: Sequence[TurnRequest]) -> Mapping[int, SampledTurn]:
        for request in requests:
            turn = self.next(request.row, len(request.ids))
            self.waits[request.row].append(len(turn.ids) * STEP)
            self.under_way[request.row] = (len(turn.ids), turn)
        self.under_way = {row: (left - 1, turn) for row, (left, turn) in self.under_way.items()}
        ended = {row: turn for row, (left, turn) in self.under_way.items() if not left}
        self.under_way = {row: entry for row, entry in self.under_way.items() if entry[0]}
        return ended

    def drop(self, rows: Iterable[int]) -> None:
        pass

    def close(self) -> None:
        pass


def rehearse(pool: DialoguePool, tasks: Sequence[Task]) -> list[list[AssistantMessage]]:
    """The expert's turns in each dialogue."""
    turns = []
    for dialogue in pool.dialogues(tasks, range(len(tasks))):
        agent = pool.setting.domain.expert(style="compact")
        hold(dialogue.session, agent, dialogue.task, seed=dialogue.seed)
        entries = dialogue.session.episode.entries
        turns.append([entry.message for entry in entries if isinstance(entry.message, AssistantMessage)])
    return turns


def makespans(count: int) -> dict[str, dict[str, float]]:
    """Both ways of timing the model, over the same dialogues."""
    user = SlowUser()
    setting = load_setting("MUA/Retail-v1", "generate:level=2:split=train")
    pool = DialoguePool(setting, user)
    tasks = [setting.tasks[number] for number in range(count)]
    messages = rehearse(pool, tasks)
    corpus = [setting.tasks.policy, *(str(tool) for tool in setting.tools)]
    chat = ChatTokens(build_tokenizer([*corpus, *(str(m) for said in messages for m in said)], vocabulary=4096))
    turns = [[chat.agent_turn(message) for message in said] for said in messages]
    driver = RolloutDriver(chat, lengths=LengthConfig())
    apart, batch = TurnsApart(turns), OneBatch(turns)
    rows = {}
    for name, script, backend in (("turns apart", apart, apart), ("one batch", batch, Batcher(batch))):
        rows[name] = _hold(driver, backend, script, user, pool.dialogues(tasks, range(count)))
    pool.close()
    return rows


def _hold(
    driver: RolloutDriver, backend: Backend, script: Script, user: SlowUser, dialogues: list[Dialogue]
) -> dict[str, float]:
    seeds = range(len(dialogues))
    with asyncio.Runner(loop_factory=CoreClock) as runner:
        loop = runner.get_loop()
        begun, busy = loop.time(), time.process_time()
        trajectories = runner.run(driver.hold(backend, dialogues, seeds=seeds))
        measured, busy = loop.time() - begun, time.process_time() - busy
    assert all(trajectory.reward == 1 for trajectory in trajectories), "the expert solves every task"
    ideal = max(sum(script.waits[row]) + sum(user.waits[row]) for row in seeds)
    lengths = sum(map(len, trajectories))
    turns = sum(trajectory.turns for trajectory in trajectories)
    return {
        "dialogues": len(dialogues),
        "turns": turns,
        "tokens": lengths,
        "ideal s": ideal,
        "measured s": measured,
        "over ideal": round(measured / ideal, 3),
        "rounds s": _rounds([user.waits[row] for row in seeds], script.waits),
        "driver CPU ms a turn": 1000 * busy / turns,
        "read over length": round(script.stats.read / lengths, 3),
    }


def _rounds(users: Sequence[list[float]], models: Sequence[list[float]]) -> float:
    """Everyone waits for the slowest model turn, and then for the slowest user, again and again."""
    total = 0.0
    for waits in (users, models):
        for turn in range(max(map(len, waits))):
            total += max(each[turn] for each in waits if turn < len(each))
    return total


class Stopwatch:
    """Seconds of the processor within wrapped methods, calls within calls of the same name counted once."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def wrap(self, owner: type, method: str, name: str) -> None:
        inner = getattr(owner, method)

        def timed(*args: Any, **kwargs: Any) -> Any:
            begun = time.process_time()
            try:
                return inner(*args, **kwargs)
            finally:
                self.seconds[name] = self.seconds.get(name, 0.0) + time.process_time() - begun

        setattr(owner, method, timed)


def grpo_step(updates: int) -> dict[str, float]:
    """Seconds of the processor that the parts of an update take, in the mean."""
    from transformers import TrainerCallback

    from mua_env.inference.backends.cache_engine import CacheEngine
    from mua_env.training.run.pipeline import Run
    from mua_env.training.trainers.grpo import DialogueGRPOTrainer

    config = load_config(str(Path(__file__).parent.parent / "examples" / "quickstart.yaml"))
    assert config.cold_start is not None
    assert config.grpo is not None
    cold_start = config.cold_start.model_copy(update={"trajectories": COLD_START})
    grpo = config.grpo.model_copy(update={"steps": updates})
    watch, read, length = Stopwatch(), [0], [0]
    totals: list[float] = []

    class Clock(TrainerCallback):
        def on_step_begin(self, *args: Any, **kwargs: Any) -> None:
            self.begun, self.parts = time.process_time(), dict(watch.seconds)

        def on_step_end(self, *args: Any, **kwargs: Any) -> None:
            parts = {name: value - self.parts.get(name, 0.0) for name, value in watch.seconds.items()}
            totals.append(time.process_time() - self.begun)
            found.append(parts)

    found: list[dict[str, float]] = []
    inner = RolloutDriver.run

    def counted(driver: RolloutDriver, *args: Any, **kwargs: Any) -> Any:
        trajectories = inner(driver, *args, **kwargs)
        read[0] += driver.stats.read
        length[0] += sum(map(len, trajectories))
        return trajectories

    with tempfile.TemporaryDirectory() as folder:
        evaluation = config.evaluation.model_copy(update={"tasks": 8, "every": 0})
        changed = {"cold_start": cold_start, "grpo": grpo, "evaluation": evaluation}
        run = Run(config.model_copy(update=changed), folder=Path(folder) / "run")
        try:
            run.start()
            run.cold_start()
            RolloutDriver.run = counted  # type: ignore[method-assign, assignment]
            watch.wrap(RolloutDriver, "run", "rollout")
            watch.wrap(CacheEngine, "step", "engine")
            watch.wrap(CacheEngine, "_forward", "forward")
            watch.wrap(AgendaSession, "reply", "users")
            start = DialogueGRPOTrainer.__init__

            def with_clock(trainer: Any, **kwargs: Any) -> None:
                start(trainer, **{**kwargs, "callbacks": [*(kwargs.get("callbacks") or []), Clock()]})

            DialogueGRPOTrainer.__init__ = with_clock  # type: ignore[method-assign, assignment]
            run.grpo()
        finally:
            run.close()
    mean = {name: sum(each.get(name, 0.0) for each in found) / len(found) for name in watch.seconds}
    total = sum(totals) / len(totals)
    overhead = mean["rollout"] - mean["engine"] - mean["users"]
    return {
        "update s": total,
        "forward passes of sampling s": mean["forward"],
        "cache and sampling s": mean["engine"] - mean["forward"],
        "users s": mean["users"],
        "environment, tokens, driver s": overhead,
        "log-probabilities, loss, update s": total - mean["rollout"],
        "overhead of a step": overhead / total,
        "tokens read over final length": read[0] / length[0],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dialogues", type=int, default=256)
    parser.add_argument("--updates", type=int, default=3)
    parser.add_argument("--skip-training", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = makespans(options.dialogues)
    # Fields down, so that every figure has its digits.
    fields = list(next(iter(rows.values())))
    show("Makespan", list(rows), {field: {name: row[field] for name, row in rows.items()} for field in fields})
    reached = {"makespan over ideal": max(row["over ideal"] for row in rows.values())}
    reached["tokens read over final length"] = max(row["read over length"] for row in rows.values())
    results: dict[str, Any] = {"makespan": rows}
    if not options.skip_training:
        step = results["step"] = grpo_step(options.updates)
        parts = {name.removesuffix(" s"): value for name, value in step.items() if name.endswith(" s")}
        whole = parts["update"]
        shares = {name: {"CPU ms": 1000 * value, "% of it": 100 * value / whole} for name, value in parts.items()}
        show("A GRPO step", ["CPU ms", "% of it"], shares)
        reached.update({name: step[name] for name in step if name in GOALS})
    for name, value in reached.items():
        print(f"{name}: {value:.3f} (goal {GOALS[name]}) {'reached' if value <= GOALS[name] else 'MISSED'}")
    if options.json:
        options.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    return int(any(value > GOALS[name] for name, value in reached.items()))


if __name__ == "__main__":
    raise SystemExit(main())
