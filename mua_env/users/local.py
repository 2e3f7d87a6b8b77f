"""A user played by a local model that was trained to be the user (see `mua_env.training.user`)."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mua_env.errors import ConfigError, MuaError, TaskError, missing_extra
from mua_env.llm import Completion
from mua_env.llm.cache import CacheMode, ReplyCache
from mua_env.llm.ledger import Ledger
from mua_env.tasks import Task
from mua_env.users.llm import LLMUser, LLMUserSession
from mua_env.users.llm_guards import held_values
from mua_env.users.llm_prompts import Strategy
from mua_env.users.llm_replies import Line, Unusable
from mua_env.users.local_guard import unheld_value, wrong_agreement

if TYPE_CHECKING:
    from mua_env.serving.engine import LocalModel


class LocalUser(LLMUser):
    """Users that a transformers model in this process plays.

    Roles are swapped as for `LLMUser`: to the model, the agent is ``user`` and the customer ``assistant``. A line
    that states a name or number which the user does not hold, or agrees to another order than its own, is asked for
    once more, at another temperature and seed; then it is the user's fault and the episode does not count.

    Args:
        model: a folder with model and tokenizer, or an engine, to share it.
        strategy: the prompt; ``brief`` (default) is what such models are trained with.
        guards: True (default) for all, False for none, or names of `mua_env.users.llm_guards`. Those of
            `mua_env.users.local_guard` go with ``invents``.
        temperature, top_p, max_tokens: sampling; each episode's seed decides it (defaults 0, 1 and 128).
        dtype, batch, template_options: of the engine, see `mua_env.serving.engine.LocalModel`.
        deadline_s: limit for all waiting in one episode, in seconds (default 300).
        cache, cache_mode, ledger: as for `mua_env.llm.make_client`.

    Raises:
        ConfigError: there is no such model, or an option has a value that cannot be.
        MissingExtra: the [train] extra is not installed.
    """

    def __init__(
        self,
        model: str | os.PathLike[str] | LocalModel,
        *,
        strategy: Strategy = "brief",
        guards: bool | Sequence[str] = True,
        temperature: float = 0.0,
        top_p: float = 1.0,
        max_tokens: int = 128,
        dtype: str = "float32",
        batch: int = 1,
        template_options: dict[str, Any] | None = None,
        deadline_s: float = 300.0,
        cache: str | Path | None = None,
        cache_mode: CacheMode = "auto",
        ledger: Ledger | None = None,
    ) -> None:
        try:
            from mua_env.serving.client import LocalClient
            from mua_env.serving.engine import LocalModel
        except ImportError as error:
            if isinstance(error, MuaError):
                raise
            raise missing_extra("train", needed_by="a local user") from error
        self._owned: LocalModel | None = None
        if not isinstance(model, LocalModel):
            model = self._owned = LocalModel(model, dtype=dtype, batch=batch, template_options=template_options)
        client = LocalClient(
            model,
            temperature=temperature,
            top_p=top_p,
            max_tokens=max_tokens,
            deadline_s=deadline_s,
            cache=None if cache is None else ReplyCache(cache, cache_mode),
            ledger=ledger,
        )
        super().__init__(client, strategy=strategy, guards=guards)
        self.name = client.settings.model

    def start(self, task: Task, *, seed: int, context: Mapping[str, Any] | None = None) -> LocalUserSession:
        """A user for one episode. Calls no model yet.

        Raises:
            TaskError: the task has no instruction.
            ConfigError: the domain gives the user tools; a model that was trained on words alone cannot call them.
        """
        if (context or {}).get("tools"):
            raise ConfigError(
                f"the users of task {task.id!r} have tools of their own, which a local user cannot call; "
                "use the agenda user, or an LLM user with function calling"
            )
        if not task.instruction.strip():
            raise TaskError(f"task {task.id!r} has no instruction, which a local user needs")
        holds = held_values(task.goal)
        return LocalUserSession(self.client, self.strategy, task.instruction, seed, self.guards, holds=holds)

    def close(self) -> None:
        """End the engine, if this user made it. May be called again."""
        if self._owned is not None:
            self._owned.close()


class LocalUserSession(LLMUserSession):
    """One dialogue of a `LocalUser`."""

    def _read(self, completion: Completion, opening: bool) -> Line:
        line = super()._read(completion, opening)
        reason = self._unheld(line.text) if "invents" in self._guards else None
        if reason is not None:
            self._broken.append("invents")
            raise Unusable(reason, guard="invents")
        return line

    def _unheld(self, text: str) -> str | None:
        heard = [said for who, said in self._said if who == "Agent"]
        value = unheld_value(text, [self._instruction, *heard])
        if value is not None:
            return f"it states {value!r}, which the briefing does not hold"
        code = wrong_agreement(text, heard[-1], self._instruction)
        return None if code is None else f"it agrees to {code!r}, which the briefing does not hold"
