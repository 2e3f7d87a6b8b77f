"""The airline expert's handlers of requests that change nothing: questions, what is never allowed, human agents."""

from __future__ import annotations

from mua_env.agents.scripted.expert import Asked

from .expert_requests import Handler
from .goals import answer_to


class Answer(Handler):
    """Answers a question about a reservation."""

    def run(self, text: str) -> Asked:
        """Look it up and say it."""
        yield from self.find(text)
        topic = self.intent.partition(":")[2]
        answer = answer_to(topic, self.desk.user, self.row)
        claim = (
            f"You paid ${answer} in total for it." if topic == "total_paid" else f"It has {answer} free checked bags."
        )
        return (yield from self.desk.say("answer", claim=claim))


NEVER = {
    "remove_bags": "checked bags can be added but never removed or refunded",
    "add_insurance": "insurance can only be bought together with the flight",
    "add_passenger": "the number of passengers of a reservation cannot change; only a passenger can be replaced",
    "change_route": "origin and destination of a reservation must stay the same",
}


class Never(Handler):
    """Refuses what is never allowed."""

    def run(self, text: str) -> Asked:
        """Say no, and why."""
        return (yield from self.desk.say("refuse", reason=NEVER[self.intent]))
