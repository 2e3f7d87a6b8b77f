"""The dialogues of `mua-env rollout`: the probe before them, what stops them, and what is said of them in the end."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from mua_env.cli.bar import counting as counting_bar
from mua_env.core.screen import counted, echo
from mua_env.errors import ConfigError, WriteError, did_you_mean

if TYPE_CHECKING:
    from mua_env.cli.options import Cast
    from mua_env.core.trajectory import Trajectory
    from mua_env.episode.setting import Setting
    from mua_env.evaluation.rollout_folder import RolloutFolder
    from mua_env.evaluation.rollouts import Planned, RolloutOptions
    from mua_env.evaluation.summary import Counting, Summary
    from mua_env.llm import Ledger, LLMClient


@dataclass(frozen=True)
class Ended:
    """What a run came to. It has failed where nothing is scored, or faults have stopped it."""

    summary: Summary
    stopped: str | None = None

    @property
    def failed(self) -> bool:
        """Whether the exit status says so."""
        return self.stopped is not None or self.summary.scored == 0


def check_counting(name: str) -> Counting:
    """A way of counting, by name.

    Raises:
        ConfigError: there is none of that name.
    """
    from mua_env.evaluation.summary import Counting

    ways: tuple[Counting, ...] = get_args(Counting)
    for way in ways:
        if name == way:
            return way
    raise ConfigError(f"--counting: one of {', '.join(ways)}, got {name!r}.{did_you_mean(name, ways)}")


def hold(
    setting: Setting,
    cast: Cast,
    episodes: list[Planned],
    folder: RolloutFolder,
    options: RolloutOptions,
    ledger: Ledger,
    counting: Counting,
) -> Ended:
    """Hold what is left of a run's dialogues; models and their costs are those of the folder."""
    from mua_env.evaluation.fault_watch import FaultWatch
    from mua_env.evaluation.rollouts import run_rollout
    from mua_env.llm.admission import Admission

    for notice in folder.notices:
        echo(notice, err=True)
    watch = FaultWatch()
    left = folder.left(episodes)
    try:
        ledger.carry_on(folder.spent(), folder.spending.add)
        admission = Admission(ledger, folder.used)
        admission.close_if_full()
        if left and not ledger.exhausted:
            _probe(setting, cast, options)
        with counting_bar(len(episodes), len(episodes) - len(left), "right", "wrong", "faults") as ended:

            def on_end(trajectory: Trajectory) -> None:
                folder.writer.write(trajectory)
                success = trajectory.score.success if trajectory.score else None
                ended(**{"faults" if success is None else "right" if success else "wrong": 1})

            how = replace(options, stop=lambda: ledger.exhausted, watch=watch, admission=admission)
            run_rollout(setting, cast.user, cast.make_agent, left, options=how, on_end=on_end)
    except BaseException:
        folder.close()
        with suppress(WriteError):  # what ended the run is said, not what followed from it
            folder.summarize(counting)
        raise
    folder.close()
    summary = folder.summarize(counting)
    if ledger.exhausted:
        echo(
            "The budget is used up, or too small for a further dialogue; the same command with a higher one goes on.",
            err=True,
        )
    if watch.cause is not None:
        echo(f"Stopped, since every further dialogue would end so: {watch.cause}", err=True)
    return Ended(summary, watch.cause)


def _probe(setting: Setting, cast: Cast, options: RolloutOptions) -> None:
    from mua_env.llm.make import probe

    clients = dict(cast.clients)
    client: LLMClient | None = getattr(options.judge, "client", None)
    if client is not None:
        clients["judge"] = client
    for who, client in clients.items():
        probe(client, who, setting.tools[:1] if who == "agent" else ())


def print_summary(summary: Summary, out: Path) -> None:
    """Say what a run came to."""
    rate = "no dialogue is scored" if summary.success is None else f"success {summary.success:.1%}"
    turns = "" if summary.turns is None else f", {summary.turns:.1f} turns on average"
    echo(f"{counted(summary.episodes, 'dialogue')}, {summary.scored:,} scored: {rate}{turns}")
    if summary.counting == "tau-bench":
        echo("  counted as tau-bench does: a dialogue that is not scored is a failure")
    if summary.tcr is not None and summary.tcr_initial is not None:
        gain = summary.tcr - summary.tcr_initial
        echo(
            f"  task completion rate {summary.tcr:.3f} ({summary.tcr_initial:.3f} before anything is done, {gain:+.3f})"
        )
    if summary.unjudged:
        echo(f"  {summary.unjudged} of them hold statements that nobody has judged (--judge MODEL)")
    for k, tasks in summary.pass_k_tasks.items():
        value = f"{summary.pass_k[k]:.3f}" if k in summary.pass_k else "-"
        echo(f"  pass^{k} {value} (over {tasks} of {summary.tasks} tasks: those with {k} dialogues that count)")
    for name, count in summary.faults.items():
        cause = summary.causes[name].removeprefix(name).lstrip(": ")
        echo(f"  not scored: {count} ({name})" + (f", mostly: {cause}" if cause else ""))
    if summary.retaken:
        echo(f"  taken again after a fault: {summary.retaken}")
    for guard, count in summary.guards.items():
        echo(f"  replies that broke the guard {guard}: {count}")
    for name, used in summary.usage.items():
        echo(f"  {name}: {used:g}")
    echo(f"{out}: config.json, trajectories.jsonl, summary.json; read them with `mua-env view {out}`")
