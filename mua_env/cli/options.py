"""Options that several commands share, and what is made of them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from mua_env.core.json_reader import MalformedJSON, read_json
from mua_env.errors import ConfigError

if TYPE_CHECKING:
    from mua_env.agents.make import AgentFactory
    from mua_env.core.tasks import Task
    from mua_env.episode.setting import Setting
    from mua_env.llm import Ledger, LLMClient
    from mua_env.users.base import UserSimulator


def finite(value: float | None) -> float | None:
    """A number given to an option, which no bound keeps from being NaN or endless."""
    if value is not None and not math.isfinite(value):
        raise typer.BadParameter(f"{value} is no finite number")
    return value


SourceArgument = Annotated[
    str, typer.Argument(help="Domain and task source, as retail:train, retail:test:level=2 or retail:tau1:test.")
]
DomainOption = Annotated[str, typer.Option("--domain", "-d", help="Installed domain; `mua-env domains` lists them.")]
TasksOption = Annotated[
    str,
    typer.Option(
        "--tasks",
        "-t",
        help="Task source: train, test, train:level=2, generate:level=1, tau1:test, tau2:test, or a .jsonl file.",
    ),
]
PathOption = Annotated[
    Path | None, typer.Option("--path", help="Where the files of a public benchmark lie (for tau1:... and tau2:...).")
]
SeedOption = Annotated[int, typer.Option("--seed", help="Of everything random.")]
DeadlineOption = Annotated[
    float,
    typer.Option("--deadline", min=0.001, callback=finite, help="Seconds for one dialogue; beyond it, a fault."),
]
MaxUsdOption = Annotated[
    float | None,
    typer.Option(
        "--max-usd",
        min=0,
        callback=finite,
        help="Most that models may cost in this folder, over all commands on it.",
    ),
]
MaxTokensOption = Annotated[
    int | None,
    typer.Option("--max-tokens", min=1, help="Most tokens that models may use in this folder, over all commands."),
]
CountOption = Annotated[int | None, typer.Option("--count", "-n", min=1, help="Only the first so many.")]
OutputOption = Annotated[
    Path | None, typer.Option("--output", "-o", help="File to write; report.html in the run's folder if not given.")
]
ForceOption = Annotated[bool, typer.Option("--force", help="Replace a file that is no page of mua-env.")]
ScoringOption = Annotated[
    str | None,
    typer.Option(
        "--scoring", help="strict, or compat: as the public benchmark, faults included. Default: the source's."
    ),
]
PolicyOption = Annotated[
    str | None, typer.Option("--policy", help="Policy document, where there are several: manual or workflow (Telecom).")
]
SoloOption = Annotated[
    bool, typer.Option("--solo", help="The agent has the user's tools too, and works on a ticket alone.")
]
PresentationOption = Annotated[
    str | None,
    typer.Option(
        "--presentation",
        help="own, or benchmark: tools and errors as a public benchmark shows them. Default: that, if it can be had.",
    ),
]
DatabaseOption = Annotated[
    str | None,
    typer.Option("--database", help="PostgreSQL server, as postgresql://...; SQLite in memory if not given."),
]
USER_HELP = (
    "User simulator: agenda (offline), llm, local or human, with options as agenda:persona=terse; a model's folder or "
    "name, a server's URL, an entry point, or package.module:Name."
)
UserOption = Annotated[str, typer.Option("--user", help=USER_HELP)]
UserSetting = Annotated[
    list[str] | None,
    typer.Option("--user-option", "-U", metavar="KEY=VALUE", help="Option of the user, as model=gpt-4.1."),
]
AGENT_HELP = (
    "Agent: expert (scripted), llm, local or random; a model's or a training run's folder, a LiteLLM model, a server's "
    "URL, an entry point, or package.module:Name."
)
AgentOption = Annotated[str, typer.Option("--agent", help=AGENT_HELP)]
AgentSetting = Annotated[
    list[str] | None,
    typer.Option("--agent-option", "-A", metavar="KEY=VALUE", help="Option of the agent, as model=gpt-4.1."),
]


def parse_pairs(pairs: Sequence[str] | None, option: str) -> dict[str, Any]:
    """`["temperature=0.5", "model=x"]` as a mapping; values are JSON where they can be, else text.

    Lists and mappings may also be written as in a YAML file: `{a: 0.5}`.
    """
    values: dict[str, Any] = {}
    for pair in pairs or ():
        key, equals, text = pair.partition("=")
        if not equals or not key:
            raise ConfigError(f"{option}: KEY=VALUE is needed, got {pair!r}")
        values[key] = _read_value(text)
    return values


def _read_value(text: str) -> Any:
    try:
        return read_json(text)
    except MalformedJSON:
        if not text.startswith(("{", "[")):
            return text
    import yaml

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        return text


def split_source(source: str) -> tuple[str, str | None]:
    """`"retail:train:level=2"` as domain and task source; the source is None for a domain alone."""
    domain, _, tasks = source.partition(":")
    return domain, tasks or None


def open_setting(
    domain: str,
    tasks: str,
    path: Path | None,
    *,
    scoring: str | None = None,
    policy: str | None = None,
    solo: bool = False,
    database: str | None = None,
    presentation: str | None = None,
    check: bool = True,
) -> Setting:
    """Load a domain with its tasks; ``check`` refuses a file with gold that fails."""
    from mua_env.episode.setting import load_setting

    mode: Any = scoring  # checked there, as is the presentation
    shown: Any = presentation
    return load_setting(
        domain,
        tasks,
        path=path,
        mode=mode,
        policy=policy,
        solo=solo,
        database_url=database,
        presentation=shown,
        check=check,
    )


def choose_task(setting: Setting, task_id: str | None, seed: int) -> Task:
    """The task with an id, or one drawn by the seed."""
    from random import Random

    if task_id is not None:
        return setting.tasks.by_id(task_id)
    return setting.tasks.drawn(Random(seed).randrange(len(setting.tasks)))


@dataclass(frozen=True)
class Cast:
    """Who takes part: the user, what makes agents, and the clients of those that are language models."""

    user: UserSimulator
    make_agent: AgentFactory
    clients: dict[str, LLMClient] = field(default_factory=dict)


def open_cast(
    setting: Setting,
    *,
    user: str,
    user_options: dict[str, Any],
    agent: str,
    agent_options: dict[str, Any],
    ledger: Ledger | None = None,
) -> Cast:
    """Make user and agents. Models get the ledger, so that both count against one budget."""
    from mua_env.agents.make import AgentMaker
    from mua_env.users.make import make_user, named_user

    counted = {} if ledger is None else {"ledger": ledger}

    def adapt(kind: str, options: dict[str, Any]) -> dict[str, Any]:
        return {**options, **counted} if kind == "llm" else options

    maker = AgentMaker(agent, agent_options, domain=setting.domain, adapt=adapt)
    clients: dict[str, LLMClient] = {} if maker.client is None else {"agent": maker.client}
    kind = named_user(user).kind
    simulator = make_user(user, {**user_options, **(counted if kind in ("llm", "local") else {})})
    if kind == "llm":
        clients["user"] = simulator.client  # type: ignore[attr-defined]
    return Cast(simulator, maker.factory(setting.domain), clients)


def run_name(*parts: str) -> str:
    """A folder's name of what was asked for, which may hold a path, a URL or options."""
    return "-".join(re.sub(r"[^\w.]+", "-", part).strip("-.") for part in parts)


def renamed(old: Mapping[str, str]) -> type[TyperCommand]:
    """A command that takes old names of its options, which no help shows.

    Args:
        old: the present name by the old one, as ``{"--limit": "--count"}``.
    """

    class Renamed(TyperCommand):
        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            end = args.index("--") if "--" in args else len(args)
            return super().parse_args(ctx, [*map(_present, args[:end]), *args[end:]])

    def _present(word: str) -> str:
        name, equals, value = word.partition("=")
        return old.get(name, name) + equals + value

    return Renamed
