"""The desk of the airline expert: what it knows in one dialogue, how it speaks, and what it looks up."""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import Any

from mua_env.agents.scripted import desk as base
from mua_env.agents.scripted.expert import Asked, Call, Heard, ScriptedExpert, Step, ToolFailed, call, call_all

from . import expert_reading as reading
from .expert_phrases import phrase
from .language import matching
from .search import NOW

Record = dict[str, Any]
_MOMENT = re.compile(r"\b(20\d\d-\d\d-\d\d)[, T]+(\d\d:\d\d)")


class Desk(base.Desk):
    """What the expert knows in one dialogue, and how it speaks.

    ``cabins`` holds the cabins of reservations that it changed itself: a public benchmark's records do not show them.
    """

    late_after = 6

    def __init__(self, expert: ScriptedExpert, handlers: base.Handlers) -> None:
        super().__init__(expert, handlers)
        self.user_id = ""
        self.user: Record = {}
        self.reservations: dict[str, Record] = {}
        self.cabins: dict[str, str] = {}
        self.changed: set[str] = set()
        moment = _MOMENT.search(expert.system_prompt)
        self.now = f"{moment[1]}T{moment[2]}:00" if moment else NOW

    @property
    def today(self) -> str:
        """Today as an ISO date."""
        return self.now[:10]

    @property
    def trusting(self) -> bool:
        """Whether the policy document names no way to check what a customer says of a cancelled flight."""
        return "for sale" not in self._expert.system_prompt

    def phrase(self, act: str, **values: str) -> str:
        """A phrasing in the expert's style."""
        return phrase(act, self._expert.rng, compact=self._expert.compact, **values)

    def intent(self, text: str) -> str | None:
        """The intent that a text of the user states."""
        return reading.intent(text)

    def agrees(self, text: str) -> bool:
        """Whether the user says yes to a proposal."""
        return reading.agrees(text)

    def identify(self, text: str) -> Asked:
        """Find the user and read the profile; returns the user's last text."""
        while True:
            found = reading.user_id(text)
            if found:
                try:
                    yield from self.read_user(found)
                except ToolFailed:
                    pass
                else:
                    return text
            text = yield from self.say("identify")

    def read_user(self, user_id: str) -> Generator[Step, Heard, None]:
        """Read the profile anew."""
        self.user = yield from call("get_user_details", user_id=user_id)
        self.user_id = user_id

    def reservation(self, name: str) -> Generator[Step, Heard, Record]:
        """A reservation's record, read once until it is changed."""
        if name not in self.reservations:
            self.reservations[name] = yield from call("get_reservation_details", reservation_id=name)
        return self.reservations[name]

    def all_reservations(self) -> Generator[Step, Heard, list[Record]]:
        """Every reservation of the profile, read in one turn."""
        names = list(self.user["reservations"])
        missing = [name for name in names if name not in self.reservations]
        found = yield from call_all(*[Call("get_reservation_details", {"reservation_id": name}) for name in missing])
        self.reservations.update(zip(missing, found, strict=True))
        return [self.reservations[name] for name in names]

    def take_over(self, record: Record) -> None:
        """Keep a record that a tool has changed."""
        if "reservation_id" in record:
            self.reservations[record["reservation_id"]] = record
            self.changed.add(record["reservation_id"])

    def cabin(self, reservation: Record) -> str:
        """The cabin of a reservation, as far as the expert knows."""
        return str(self.cabins.get(reservation["reservation_id"], reservation["cabin"]))

    def fitting(self, hint: str, reservations: list[Record]) -> list[Record]:
        """The reservations whose trip a text describes, upcoming ones before the others."""
        named = matching.airport_codes(hint)
        found = [row for row in reservations if [row["origin"], row["destination"]] == named[:2]]
        found = found or [row for row in reservations if {row["origin"], row["destination"]} <= set(named)]
        return sorted(found, key=lambda row: row["flights"][0]["date"] < self.today)
