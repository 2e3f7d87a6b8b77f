"""A small domain in two pairs of hands: an operator's line, and the user's router at its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from sqlalchemy import Text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from mua_env.core.database import Rows
from mua_env.core.tasks import Action, Goal, Request, Task
from mua_env.core.tools import Toolkit, tool
from mua_env.domain.contract import Domain
from mua_env.errors import ToolError
from mua_env.users.agenda.language import Comparison, DialogueLanguage, Intent, Operation, Slot
from mua_env.users.agenda.nlg.personas import Voice

SECRET = "Zephyrine"
"""A word that only the user's side holds: in its instruction, and on its router."""


class Base(DeclarativeBase):
    pass


class Line(Base):
    __tablename__ = "lines"

    number: Mapped[str] = mapped_column(Text, primary_key=True)
    plan: Mapped[str] = mapped_column(Text)
    state: Mapped[str] = mapped_column(Text)


class Router(Base):
    """``loaded`` is the plan that the router took from the line when it last started."""

    __tablename__ = "routers"

    line: Mapped[str] = mapped_column(Text, primary_key=True)
    label: Mapped[str] = mapped_column(Text)
    power: Mapped[str] = mapped_column(Text)
    loaded: Mapped[str] = mapped_column(Text)


LINE = "555-0101"


class OperatorTools(Toolkit):
    @tool
    def get_line(self, number: str) -> dict[str, Any]:
        """Look a line up: plan, state, and what the router at its end runs on."""
        line = self.db.get(Line, number)
        if line is None:
            raise ToolError(f"no line {number}")
        router = self.db.get(Router, number) or {}
        return {**line, "router_runs_on": router.get("loaded", "nothing")}

    @tool(writes=True)
    def resume_line(self, number: str) -> str:
        """Take a line out of suspension."""
        if not self.db.update(Line, number, state="active"):
            raise ToolError(f"no line {number}")
        return "active"

    @tool(writes=True)
    def change_plan(self, number: str, plan: str) -> str:
        """Change the plan of a line; the router takes it when it starts again."""
        if not self.db.update(Line, number, plan=plan):
            raise ToolError(f"no line {number}")
        return plan

    @tool(terminal=True)
    def hand_over(self) -> str:
        """Hand the user over to a person."""
        return "handed over"


class RouterTools(Toolkit):
    @tool
    def look_at_light(self) -> str:
        """Look at the light of the router."""
        router, line = self._router(), self.db.get(Line, LINE)
        assert line is not None
        if router["power"] == "off":
            return "dark"
        return "green" if line["state"] == "active" and router["loaded"] == line["plan"] else "red"

    @tool
    def read_label(self) -> str:
        """Read the label under the router."""
        return str(self._router()["label"])

    @tool(writes=True)
    def reboot_router(self) -> str:
        """Switch the router off and on; it takes the plan of the line anew."""
        line = self.db.get(Line, LINE)
        assert line is not None
        self.db.update(Router, LINE, loaded="")
        if line["state"] != "active":
            raise ToolError("the router finds no line and starts again and again")
        self.db.update(Router, LINE, loaded=line["plan"], power="on")
        return "It has started"

    @tool(writes=True)
    def set_power(self, power: str) -> str:
        """Switch the router on or off."""
        if power not in ("on", "off"):
            raise ToolError(f"there is no {power} on the switch")
        self.db.update(Router, LINE, power=power)
        return power

    def _router(self) -> dict[str, Any]:
        router = self.db.get(Router, LINE)
        assert router is not None
        return router


class LinesLanguage(DialogueLanguage):
    name = "lines"
    slots: Mapping[str, Slot] = {"number": Slot("number", "line number", r"\b(?:line|phone) number\b", personal=True)}
    intents: Mapping[str, Intent] = {
        "fix": Intent("fix", (), r"\binternet\b", r"\bworks?|fixed|restored\b", witnessed=True)
    }
    operations = (
        Operation("reboot_router", r"\b(?:reboot|restart)(?:ing)? (?:the|your) router\b", "[Done|I restarted it]."),
        Operation("look_at_light", r"\blight\b", "The light is {result}.", look=True),
        Operation("set_power", r"\bturn (?:the|your) router (?P<power>on|off|sideways)\b", "It is {result}."),
    )

    def wish(self, intent: str, slots: Mapping[str, Any], voice: Voice) -> str:
        return "get my internet to work again"

    def value(self, slot: str, source: Mapping[str, Any], voice: Voice, *, about: str = "") -> str | None:
        return voice.keep(str(source[slot])) if slot in source else None

    def compare(self, intent: str, slots: Mapping[str, Any], text: str) -> Comparison:
        return Comparison()

    def settled(self, intent: str, slots: Mapping[str, Any], seen: Mapping[str, str]) -> bool:
        return seen.get("look_at_light") == "green"


class LinesDomain(Domain):
    name = "lines"
    models = Base
    toolkit: ClassVar[type[Toolkit]] = OperatorTools
    user_toolkit = RouterTools
    language = LinesLanguage()

    def data(self) -> Rows:
        return {
            "lines": [{"number": LINE, "plan": "basic", "state": "suspended"}],
            "routers": [{"line": LINE, "label": f"{SECRET}-77", "power": "on", "loaded": "old"}],
        }

    def policy(self, *, compact: bool = False) -> str:
        return "Find the line, resume it, then have the user restart the router and look at its light."

    def tasks(self, split: str) -> Sequence[Task]:
        goal = Goal(facts={"number": LINE}, requests=(Request(intent="fix"),), persona="plain")
        resume = Action(name="resume_line", arguments={"number": LINE})
        reboot = Action(name="reboot_router", requestor="user")
        instruction = f"You are {SECRET}. Your internet is down. Your line number is {LINE}."
        task = Task(id="down", domain="lines", instruction=instruction, goal=goal, actions=(resume, reboot))
        off = Action(name="set_power", arguments={"power": "off"}, requestor="user")
        return [task, task.model_copy(update={"id": "off", "initial_actions": (off,)})]


lines = LinesDomain()


class SoloTools(OperatorTools, RouterTools):
    """Both pairs of hands in one."""


class SoloDomain(LinesDomain):
    toolkit = SoloTools
