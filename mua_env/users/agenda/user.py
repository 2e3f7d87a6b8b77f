"""The agenda user: offline, seeded, microseconds a turn.

An agenda-based user simulator after Schatzmann et al. (NAACL-HLT 2007). It holds the task's goal as slots and
speaks through the domain's :class:`~mua_env.users.agenda.language.DialogueLanguage`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any, get_args

from mua_env.core.messages import ToolMessage
from mua_env.core.tasks import Task
from mua_env.errors import ConfigError, TaskError
from mua_env.users.agenda.goal_state import Agenda
from mua_env.users.agenda.language import DialogueLanguage
from mua_env.users.agenda.nlg.grammar import Phrasings
from mua_env.users.agenda.nlg.personas import Voice
from mua_env.users.agenda.nlg.personas import persona as check_persona
from mua_env.users.agenda.nlg.phrases import phrase
from mua_env.users.agenda.nlu.dialogue_acts import readable
from mua_env.users.agenda.operations import Seen, guided
from mua_env.users.agenda.tool_use import Hands
from mua_env.users.agenda.user_policy import Turn
from mua_env.users.base import UserReply, UserSession, UserSimulator

LANGUAGES = ("en", "zh")
"""Codes of the natural languages of the agenda user."""


class AgendaSession(UserSession):
    """An agenda user in one episode; ``tools`` are the names of its own tools."""

    registers_refusals = True

    def __init__(self, agenda: Agenda, language: DialogueLanguage, voice: Voice, tools: Iterable[str] = ()) -> None:
        self.agenda = agenda
        self.language = language
        self.voice = voice
        self.tools = frozenset(tools)
        self._heard = ""
        self._hands = Hands()

    def reply(self, agent_text: str | None) -> UserReply:
        """Answer the agent; ``None`` asks for the opening. Never raises on any text."""
        if agent_text is None:
            return self._open()
        # Before the first pattern: what the domain's languages read has no runs, and a bounded length.
        self._heard, agent_text = agent_text, readable(agent_text)
        current = self.agenda.current
        guidance = self.language.guidance(agent_text, current.intent if current else "")
        deeds = guided(guidance, self.language, self.tools)
        self._hands.take(deeds, self.language.hear(agent_text))
        doubted = self._hands.doubts() if self.voice.persona.wary else None
        if doubted is not None and not self._hands.deeds:
            return UserReply(text=self.voice.speak([self.language.doubt(doubted.operation, self.voice)]))
        calls = self._hands.begin() if self._hands.deeds else ()
        return UserReply(text="", tool_calls=calls) if calls else self._answer(self._heard)

    def observe(self, results: Sequence[ToolMessage]) -> UserReply:
        """Do what is still to be done, then tell what the tools showed and answer what else the agent said."""
        calls = self._hands.go_on(results, self.language)
        if calls:
            return UserReply(text="", tool_calls=calls)
        return self._answer(self._heard, self._hands.seen(results))

    def _answer(self, agent_text: str, seen: Sequence[Seen] = ()) -> UserReply:
        current = self.agenda.current
        intent = current.intent if current else ""
        acts = self.language.understand(agent_text, given=self.agenda.given, intent=intent)
        held = self._hands.held
        turn = Turn(self.agenda, self.language, self.voice, acts, seen, held[0].operation if held else None)
        turn.take()
        return UserReply(text=self.voice.speak(turn.parts), stop=turn.stop, events=tuple(turn.events))

    def fork(self) -> AgendaSession:
        """An independent user with the same future."""
        twin = AgendaSession(self.agenda.fork(), self.language, self.voice.fork(), self.tools)
        twin._heard, twin._hands = self._heard, self._hands.fork()
        return twin

    def _open(self) -> UserReply:
        request = self.agenda.current
        if request is None:
            # A dialogue cannot end before the agent's first turn.
            return UserReply(text=self.voice.speak([phrase("greet", self.voice)]))
        request.status = "open"
        wish = self.language.wish(request.intent, request.slots, self.voice)
        return UserReply(text=self.voice.speak([phrase("open", self.voice, wish=wish)], opening=True))


class AgendaUser(UserSimulator):
    """Users that work from a task's goal.

    Args:
        persona: overrides the persona of every goal.
        noise: overrides the share of noisy utterances of every goal, 0 to 1.
        language: that the user speaks and understands: ``"en"`` (default) or ``"zh"``, Chinese. Values (ids, names,
            addresses, product names) stay as the data has them.
        phrasings: ``"all"``; or ``"seen"`` and ``"unseen"``, two parts of the phrasings of every dialogue act that
            share none (three quarters and one quarter), so that success can be measured on what was not trained on.

    Raises:
        ConfigError: the language or the part of the phrasings is not known.
    """

    name = "agenda"

    def __init__(
        self,
        *,
        persona: str | None = None,
        noise: float | None = None,
        language: str = "en",
        phrasings: Phrasings = "all",
    ) -> None:
        if language not in LANGUAGES:
            known = ", ".join(map(repr, LANGUAGES))
            raise ConfigError(f"the agenda user speaks no {language!r}; known languages: {known}")
        if phrasings not in get_args(Phrasings):
            raise ConfigError(f"phrasings is {phrasings!r}; use 'all', 'seen' or 'unseen'")
        if persona is not None:
            check_persona(persona)  # here, not in the middle of a run
        if noise is not None and not 0 <= noise <= 1:
            raise ConfigError(f"noise is {noise}; it is a share, from 0 to 1")
        self._persona = persona
        self._phrasings: Phrasings = phrasings
        self._noise = noise
        self._language = language

    def start(self, task: Task, *, seed: int, context: Mapping[str, Any] | None = None) -> AgendaSession:
        """A user for one episode.

        Args:
            task: with a goal.
            seed: of everything random in this user.
            context: ``{"domain": Domain}``, whose language is spoken, or ``{"language": DialogueLanguage}``; also
                ``tools``, the schemas of the user's own tools.

        Raises:
            TaskError: the task has no goal, the language is missing, or the goal has an intent that it lacks.
            ConfigError: the domain does not speak the language that was asked for.
        """
        given = context or {}
        language = given.get("language") or getattr(given.get("domain"), "language", None)
        if not isinstance(language, DialogueLanguage):
            raise TaskError(f"the agenda user needs the dialogue language of the domain, got {language!r}")
        if self._language != "en":
            language = language.spoken(self._language)
        goal = task.goal
        if goal is None:
            raise TaskError(f"task {task.id!r} has no goal for the agenda user; use an LLM user, or derive one")
        for request in goal.requests:
            if request.intent not in language.intents:
                known = ", ".join(language.intents)
                raise TaskError(
                    f"task {task.id!r}: the intent {request.intent!r} is unknown in {language.name}: {known}"
                )
        voice = Voice(
            Random(f"agenda:{task.id}:{seed}"),
            check_persona(self._persona or goal.persona),
            goal.noise if self._noise is None else self._noise,
            language.locale,
            self._phrasings,
        )
        tools = [tool["function"]["name"] for tool in given.get("tools", ())]
        return AgendaSession(Agenda.of(goal), language, voice, tools)

    def check(self, task: Task, *, context: Mapping[str, Any] | None = None) -> None:
        """Refuse what :meth:`start` would refuse."""
        self.start(task, seed=0, context=context)

    def describe(self, task: Task) -> str:
        """``agenda``, or ``agenda (derived)`` where the goal was made from gold actions."""
        return "agenda (derived)" if task.goal is not None and task.goal.derived else self.name
