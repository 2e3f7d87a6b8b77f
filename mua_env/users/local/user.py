"""A user played by a local model that was trained to be the user (see `mua_env.training.user_model.train`)."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mua_env.core.tasks import Task
from mua_env.errors import ConfigError, MuaError, TaskError, missing_extra
from mua_env.inference.models import check_model
from mua_env.llm import Completion
from mua_env.llm.cache import CacheMode, ReplyCache
from mua_env.llm.ledger import Ledger
from mua_env.users.llm.guards import ALL_GUARDS, Ground, Violation
from mua_env.users.llm.prompts import Strategy
from mua_env.users.llm.replies import Line, Unusable
from mua_env.users.llm.user import LLMUser, LLMUserSession
from mua_env.users.local.guard import unheld_value, wrong_agreement

if TYPE_CHECKING:
    from mua_env.inference.serving.local_model import LocalModel

REFUSAL = "No."
"""How a line begins that is asked for anew after a wrong agreement: trained users go on with what is right."""


class LocalUser(LLMUser):
    """Users that a transformers model in this process plays.

    Roles are swapped as for `LLMUser`: to the model, the agent is ``user`` and the customer ``assistant``. A line
    that states a name or number which the user does not hold is asked for once more, at another temperature and seed;
    so is one that agrees to a proposal which contradicts the task's goal (where there is none: names another order than
    the briefing), with "No." as its beginning. After that it is the user's fault and the episode does not count.

    Args:
        model: a folder with model and tokenizer, or an engine, to share it.
        strategy: the prompt; ``brief`` (default) is what such models are trained with.
        guards: True (default) for all, False for none, or names of `mua_env.users.llm.guards`; what
            `mua_env.users.local.guard` finds goes with ``invents`` and ``agrees_wrongly``.
        temperature, top_p, max_tokens: sampling; each episode's seed decides it (defaults 0, 1 and 128).
        dtype, batch, template_options: of the engine, see `mua_env.inference.serving.local_model.LocalModel`.
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
        if isinstance(model, str | os.PathLike):
            check_model(model)
        try:
            from mua_env.inference.serving.local_client import LocalClient
            from mua_env.inference.serving.local_model import LocalModel
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
        super().__init__(client, strategy=strategy, guards=ALL_GUARDS if guards is True else guards)
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
        ground = Ground.of(task, context)
        return LocalUserSession(self.client, self.strategy, task.instruction, seed, self.guards, ground=ground)

    def close(self) -> None:
        """End the engine, if this user made it. May be called again."""
        if self._owned is not None:
            self._owned.close()


class LocalUserSession(LLMUserSession):
    """One dialogue of a `LocalUser`."""

    async def _draft(self, opening: bool, *, first: int = 0, why: str | None = None) -> Line:
        """A line; one that agreed to something wrong is asked for once more with its beginning given.

        `why` is not told: a model that was trained on one prompt is only led astray by more.
        """
        try:
            return self._read(await self._ask(self._history, index=first), opening)
        except Unusable as error:
            refused = error.guard == "agrees_wrongly"
        begun = [*self._history, {"role": "assistant", "content": REFUSAL}] if refused else self._history
        line = self._read(await self._ask(begun, index=first + 1), opening)
        if refused and line.stop:
            raise Unusable("it leaves instead of saying what is wrong")
        return line

    def _read(self, completion: Completion, opening: bool) -> Line:
        line = super()._read(completion, opening)
        broken = self._unheld(line.text)
        if broken is not None and broken.guard in self._guards:
            self._broken.append(broken.guard)
            raise Unusable(broken.reason, guard=broken.guard)
        return line

    def _unheld(self, text: str) -> Violation | None:
        heard = [said for who, said in self._said if who == "Agent"]
        blind = self._ground.goal is None or self._ground.language is None
        code = wrong_agreement(text, heard[-1], self._instruction) if blind else None
        if code is not None:
            return Violation("agrees_wrongly", f"it agrees to {code!r}, which the briefing does not hold")
        value = unheld_value(text, [self._instruction, *heard])
        return None if value is None else Violation("invents", f"it states {value!r}, which the briefing does not hold")
