"""How the user puts its goal into words: what of it is asked for, said, or not known."""

from __future__ import annotations

from mua_env.users.agenda.goal_state import Agenda, Pending
from mua_env.users.agenda.language import Comparison, DialogueLanguage
from mua_env.users.agenda.nlg.grammar import unmark
from mua_env.users.agenda.nlg.personas import Voice
from mua_env.users.agenda.nlg.phrases import phrase
from mua_env.users.agenda.nlu.dialogue_acts import AgentActs


class Speaker:
    """One turn's words: reads the agenda, fills ``parts``."""

    def __init__(self, agenda: Agenda, language: DialogueLanguage, voice: Voice, acts: AgentActs) -> None:
        self.agenda = agenda
        self.language = language
        self.voice = voice
        self.acts = acts
        self.parts: list[str] = []
        # Several rules of a turn hold the same text against the same request.
        self._compared: dict[tuple[str, str, str], Comparison] = {}

    def fix(self, request: Pending, slots: tuple[str, ...]) -> str:
        """The slots, said as they should be."""
        said = [text for slot in slots if (text := self.say(slot, request)) is not None]
        space = self.voice.locale.space if self.voice.locale else " "
        return space.join(said) if said else phrase("wish", self.voice, wish=self.wish(request))

    def give(self, slots: tuple[str, ...], request: Pending) -> None:
        """Say the slots that are known; of the others, that they are not."""
        listed = self.voice.short and len(slots) > 1
        known: list[str] = []
        unknown: list[str] = []
        for slot in slots:
            text = self._part(slot, request) or self.say(slot, request, piece=listed)
            (unknown if text is None else known).append(slot if text is None else text)
        applicable = [slot for slot in unknown if self._applies(slot, request)]
        self.parts.extend(self.do_not_know(slot, request) for slot in applicable)
        if len(applicable) < len(unknown):
            self.parts.append(phrase("not_applicable", self.voice, wish=self.wish(request)))
        locale = self.voice.locale
        space, comma, stop = (locale.space, locale.comma, locale.stop) if locale else (" ", ", ", ".")
        self.parts.append(comma.join(known) + stop if listed and known else space.join(known))

    def applicable(self, request: Pending) -> list[str]:
        """The slots asked for, without those of other requests where some belong to this one."""
        intent = self.language.intents.get(request.intent)
        useful = self.useful(request)
        order = list(intent.slots) if intent else []
        return sorted(useful, key=lambda slot: order.index(slot) if slot in order else -1) or list(self.acts.asked)

    def useful(self, request: Pending) -> list[str]:
        """The slots asked for that are personal or belong to the request."""
        intent = self.language.intents.get(request.intent)
        own = set(intent.slots) | set(intent.details) if intent else set()
        return [slot for slot in self.acts.asked if slot in own or self.language.slots[slot].personal]

    def chosen(self, asked: list[str]) -> list[str]:
        """Of alternatives that are each enough, one; among several requests of it, what the user has."""
        groups = [group for group in self.language.alternatives if group & set(asked)]
        if len(groups) < 2 or not self.acts.choice:
            return asked
        able = [group for group in groups if all(self.agenda.facts.get(slot) is not None for slot in group)]
        if not able:
            return asked
        untold = [group for group in able if not any(self.agenda.given.get(slot) for slot in group)]
        options = untold if self.acts.not_found and untold else able
        chosen = options[int(self.voice.draw("alternative").random() * len(options))]
        others = frozenset().union(*groups) - chosen
        kept = [slot for slot in asked if slot not in others]
        return kept + [slot for slot in self.language.slots if slot in chosen and slot not in kept]

    def say(self, slot: str, request: Pending, *, piece: bool = False) -> str | None:
        """The words for one slot, or None where the user does not have it."""
        spec = self.language.slots[slot]
        source = self.agenda.facts if spec.personal else request.known()
        value = self.language.value(slot, source, self.voice, about=self.acts.text if self.acts.asked else "")
        if value is None:
            return None
        if spec.code and self._noisy(f"slip {slot}"):
            value = self._slip(value)
        return self.voice.say(spec.piece if piece else spec.template(self.voice.short), value=value)

    def _noisy(self, event: str) -> bool:
        return self.voice.noise > 0 and self.voice.draw(event).random() < self.voice.noise / 2

    def _part(self, slot: str, request: Pending) -> str | None:
        """The end of a code, said first where a noisy user has no more of it at hand."""
        spec = self.language.slots[slot]
        source = self.agenda.facts if spec.personal else request.known()
        value = source.get(slot)
        if not spec.code or not isinstance(value, str) or self.agenda.given.get(slot, 0) > 1:
            return None
        if not self._noisy(f"part {slot}"):
            return None
        return phrase("partial", self.voice, noun=spec.noun, tail=self.voice.keep(value[-spec.code :]))

    def _slip(self, value: str) -> str:
        """A false start with two characters swapped, broken off and put right; too short to be taken for a value."""
        code = unmark(value)
        places = range(2, min(len(code) - 3, 4))
        at = next((i for i in places if code[i] != code[i + 1] and code[i : i + 2].isalnum()), 0)
        if not at:
            return value
        wrong = self.voice.keep(f"{code[:at]}{code[at + 1]}{code[at]}-")
        return phrase("slip", self.voice, wrong=wrong, value=value)

    def _applies(self, slot: str, request: Pending) -> bool:
        intent = self.language.intents.get(request.intent)
        return intent is None or self.language.slots[slot].personal or slot in intent.slots

    def do_not_know(self, slot: str, request: Pending) -> str:
        """What is said for a slot that the user has no value of, with what it can say instead."""
        text = phrase("unknown", self.voice, noun=self.language.slots[slot].noun)
        hint = self.language.hint(slot, request.slots, self.voice)
        return f"{text} {hint}" if hint else text

    def wish(self, request: Pending) -> str:
        """The request as a verb phrase."""
        return self.language.wish(request.intent, request.slots, self.voice)

    def compare(self, request: Pending, text: str) -> Comparison:
        """Hold a text of the agent against what the user knows of a request."""
        known = request.known()
        key = (request.intent, repr(known), text)
        if key not in self._compared:
            self._compared[key] = self.language.compare(request.intent, known, text)
        return self._compared[key]
