"""What an evaluation will hold: agents, users and tasks found, and every dialogue planned, before anything begins."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from mua_env.agents.make import AgentMaker
from mua_env.core.task_sets import tasks_revision
from mua_env.core.tasks import Task
from mua_env.episode.session import own_user
from mua_env.episode.setting import Setting, SQLWorlds, load_setting
from mua_env.errors import ConfigError
from mua_env.evaluation.eval_config import EvalConfig
from mua_env.evaluation.held_parts import Part
from mua_env.evaluation.outcomes import ABOUT, about
from mua_env.evaluation.presets import PAPER_USER, check_paths, path_of
from mua_env.evaluation.rewards import find_reward
from mua_env.evaluation.rollout_folder import public_options
from mua_env.evaluation.rollouts import Planned, RolloutOptions, episode_seed, short_id
from mua_env.inference.agent_view import AgentView, read_view
from mua_env.inference.party import URL
from mua_env.llm.client import LLMClient
from mua_env.llm.ledger import Ledger
from mua_env.scoring.judges import make_judge
from mua_env.users.base import UserSimulator
from mua_env.users.make import make_user, named_user

MOST = 20_000
"""Tasks of a source that are run without being asked for a number: an endless one would never come to its end."""


class EvalPlan:
    """An evaluation, ready to be held.

    Args:
        config: the settings; a preset is worked in here.

    Attributes:
        config: with the preset's settings.
        agent: how the agent is named.
        parts: the dialogues, for each source and user.
        task_hashes: by source and task.
        ledger: of the models.
        clients: those of models behind an API, by who they are for.

    Raises:
        ConfigError, DomainError, TaskError, MissingExtra: what was asked for cannot be had.
    """

    def __init__(self, config: EvalConfig) -> None:
        self.config = config.settled()
        self.ledger = Ledger(max_usd=config.max_usd, max_tokens=config.max_tokens)
        check_paths(self.config.path, self.config.tasks)
        self.settings = {source: self._setting(source) for source in self.config.tasks}
        first = next(iter(self.settings.values()))
        self.maker = AgentMaker(self.config.agent, self.config.agent_options, domain=first.domain, adapt=self._as_asked)
        self.agent = _named(self.config.agent, self.maker.client)
        self.users = self._users()
        self._reward, self._rescore = find_reward(self.config.reward)
        self._judge = make_judge(
            self.config.judge, {**self.config.judge_options, **({"ledger": self.ledger} if self.config.judge else {})}
        )
        self.clients = dict(self._clients())
        self.task_hashes: dict[str, dict[str, str]] = {}
        self.parts = [part for source in self.settings for part in self._parts(source)]

    def described(self) -> dict[str, Any]:
        """What the folder's ``config.json`` says of it."""
        from mua_env import __version__

        config, local = self.config, self.maker.local
        return {
            "mua_env": __version__,
            "agent": self.agent,
            "agent_options": public_options(self.maker.options),
            **({"agent_view": local.view.model_dump(mode="json")} if local is not None else {}),
            "users": {name: {"options": public_options(config.user_options)} for name in self.users},
            "tasks": {source: self._described(setting) for source, setting in self.settings.items()},
            "reward": self._reward if self._rescore is None else label(config.reward),
            **(
                {"judge": self._judge.name, "judge_options": public_options(config.judge_options)}
                if self._judge
                else {}
            ),
            "max_turns": config.max_turns,
            "temperature": config.temperature,
            "thinking": config.thinking,
            "seed": config.seed,
            "preset": config.preset,
            "counting": config.counting,
            "trials": config.trials,
            "count": config.count,
        }

    def notes(self) -> Iterator[str]:
        """What must be known to compare the figures with others."""
        for source, setting in self.settings.items():
            tasks = setting.tasks
            told = [f"reward {self._reward or tasks.reward}" if self._rescore is None else label(self.config.reward)]
            told += [f"{setting.mode} scoring", f"tools as shown: {setting.presented}"]
            told += [f"release {tasks.source_revision}"] if tasks.source_revision else []
            told += [f"policy document {tasks.variant}"] if tasks.variant else []
            own = own_user(setting)
            told += [] if own is None else [f"user {own.name} of its own, whom no option changes"]
            yield f"{source}: {', '.join(told)}, revision {setting.revision}."
        view = None if self.maker.local is None else self.maker.local.view
        if view is not None and view != AgentView():
            limits = f"{view.turn_tokens} tokens a turn, {view.total_tokens or 'any number of'} a dialogue"
            shown = f"{view.policy} policy document, {view.tools} tools, {view.results} results"
            yield f"The agent is shown, as its folder says: {shown}; {limits}."
        if self.config.preset == "paper" and not any(PAPER_USER in str(user) for user in self.users):
            yield f"The paper's user was {PAPER_USER}; this one is another, so that the figures are not the paper's."

    def close(self) -> None:
        """Release users that hold models."""
        for user in self.users.values():
            user.close()

    def _setting(self, source: str) -> Setting:
        config = self.config
        domain, _, tasks = source.partition(":")
        mode: Any = config.scoring  # checked there, as is the presentation
        shown: Any = config.presentation
        return load_setting(
            domain,
            tasks,
            path=path_of(config.path, source),
            mode=mode,
            policy=config.policy,
            solo=config.solo,
            database_url=config.database,
            presentation=shown,
        )

    def _as_asked(self, kind: str, options: dict[str, Any]) -> dict[str, Any]:
        """The agent's options with those of the evaluation, where it is a model."""
        if kind not in ("llm", "local"):
            return options
        given = dict(options)
        if self.config.temperature is not None:
            given.setdefault("temperature", self.config.temperature)
        if kind == "llm":
            given.setdefault("ledger", self.ledger)
        if self.config.thinking is not None:
            return {**given, **_thinking(kind, given, self.config.thinking)}
        return given

    def _users(self) -> dict[str, UserSimulator]:
        made: dict[str, UserSimulator] = {}
        for user in self.config.users:
            kind = named_user(user).kind if isinstance(user, str) else ""
            if kind == "human":
                raise ConfigError("user 'human': many dialogues at once are no place for a person; use `mua-env play`")
            counted = {"ledger": self.ledger} if kind in ("llm", "local") else {}
            simulator = make_user(user, {**self.config.user_options, **counted})
            name = _named(user, getattr(simulator, "client", None))
            if name in made:
                raise ConfigError(f"user {name!r} is named twice")
            made[name] = simulator
        if not made:
            raise ConfigError("users: name at least one, as agenda")
        return made

    def _clients(self) -> Iterator[tuple[str, LLMClient]]:
        if self.maker.client is not None:
            yield "agent", self.maker.client
        several = len(self.users) > 1
        for name, user in self.users.items():
            client = getattr(user, "client", None)
            if isinstance(client, LLMClient):
                yield (f"user {name!r}" if several else "user"), client
        client = getattr(self._judge, "client", None)
        if isinstance(client, LLMClient):
            yield "judge", client

    def _parts(self, source: str) -> Iterator[Part]:
        config, setting = self.config, self.settings[source]
        size = len(setting.tasks)
        if config.count is None and size > MOST:
            raise ConfigError(f"{source!r} has {size:,} tasks; say how many (count)")
        tasks = [setting.tasks[place] for place in range(size if config.count is None else min(config.count, size))]
        self.task_hashes[source] = {task.id: tasks_revision([task]) for task in tasks}
        rules = dict(_rules(setting, tasks))
        options = RolloutOptions(
            reward=self._reward,
            max_turns=config.max_turns,
            concurrency=config.concurrency,
            deadline_s=config.deadline_s,
            judge=self._judge,
            rescore=self._rescore,
        )
        make_agent = self.maker.factory(setting.domain)
        for name, user in self.users.items():
            episodes = [
                Planned(
                    f"{short_id(f'{source}/{task.id}@{name}')}#{trial}",
                    task,
                    # The same for all users and agents: whoever acts, trial by trial it meets the same.
                    episode_seed(config.seed, task.id, trial),
                    meta={ABOUT: about(task, source=source, trial=trial, user=name, rules=rules.get(task.id, ()))},
                )
                for task in tasks
                for trial in range(config.trials)
            ]
            yield Part(setting, user, make_agent, episodes, options)

    def _described(self, setting: Setting) -> dict[str, Any]:
        tasks = setting.tasks
        return {
            "domain": setting.domain.name,
            "revision": setting.revision,
            "policy": content_hash(tasks.policy),
            "tools": content_hash(setting.tools),
            **({"data": content_hash(tasks.data())} if isinstance(setting.worlds, SQLWorlds) else {}),
            "mode": setting.mode,
            "presentation": setting.presented,
            "variant": tasks.variant,
            "source_revision": tasks.source_revision,
            **({"user": own.name} if (own := own_user(setting)) is not None else {}),
        }


def label(party: Any) -> str:
    """How an agent, a user or a reward is named in results."""
    if isinstance(party, str):
        return party
    if isinstance(party, UserSimulator):
        return party.name
    return str(getattr(party, "__qualname__", type(party).__qualname__))


def _named(party: Any, client: Any) -> str:
    """As `label`, but a server by its model: where it listens has no bearing on results."""
    if isinstance(client, LLMClient) and isinstance(party, str) and party.startswith(URL):
        return f"llm:{client.settings.model}"
    return label(party)


def _thinking(kind: str, options: dict[str, Any], wanted: bool) -> dict[str, Any]:
    switch = {"enable_thinking": wanted}
    if kind == "local":
        own = options.get("template_options") or read_view(options["model"]).template_options
        return {"template_options": {**own, **switch}}
    if options.get("base_url") is None:  # a provider's own model: what it does is in its name
        return {}
    extra = dict(options.get("extra") or {})
    body = dict(extra.get("extra_body") or {})
    body["chat_template_kwargs"] = {**switch, **body.get("chat_template_kwargs", {})}
    return {"extra": {**extra, "extra_body": body}}


def _rules(setting: Setting, tasks: list[Task]) -> Iterator[tuple[str, list[str]]]:
    """The rules of the policy that tasks fall under; none where the world is no database."""
    if not isinstance(setting.worlds, SQLWorlds) or not setting.domain.policy_rules:
        return
    world = setting.worlds.make_world()
    try:
        for task in tasks:
            world.load(task)
            yield task.id, list(setting.domain.binding_rules(task, world.database))
    finally:
        world.close()


def content_hash(value: Any) -> str:
    """First 12 hex digits of the SHA-256 of a text, or of a value as JSON."""
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:12]
