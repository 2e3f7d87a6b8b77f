"""Job applications at a company: candidates apply, withdraw, move interviews, and ask how an application stands."""

from __future__ import annotations

from random import Random
from typing import Annotated, Any

from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from mua_env import DescribedDomain, DescribedToolkit, Question, Wish, kinds, obeys, rule, tool

Row = dict[str, Any]


class Base(DeclarativeBase): ...


class Candidate(Base):
    __tablename__ = "candidates"
    candidate_id: Mapped[str] = mapped_column(primary_key=True)
    email: Mapped[str]
    phone: Mapped[str]


class Job(Base):
    __tablename__ = "jobs"
    job_id: Mapped[str] = mapped_column(primary_key=True)
    title: Mapped[str]
    status: Mapped[str]
    most: Mapped[int]


class Application(Base):
    __tablename__ = "applications"
    application_id: Mapped[str] = mapped_column(primary_key=True)
    candidate_id: Mapped[str]
    job_id: Mapped[str]
    title: Mapped[str]
    status: Mapped[str]
    note: Mapped[str]


CandidateId = Annotated[str, kinds.Caller("candidate id", of=Candidate)]
JOB = kinds.Key("job number", "J-####", of=Job)
NUMBER = kinds.Key("application number", "A-#####", of=Application, owner="candidate_id", listed_by="list_applications",
             contents=lambda application: [application["title"]])  # fmt: skip
Number = Annotated[str, NUMBER]
Salary = Annotated[int, kinds.Money("expected salary", 40_000, 90_000, step=1_000)]
Remote = Annotated[bool, kinds.YesNo("place of work", "working remotely", "working in the office")]
NewDate = Annotated[str, kinds.Date("new date", "2026-05-01", "2026-06-12")]
NewTime = Annotated[str, kinds.Time("new time", "09:00", "16:00", step=30)]


@rule("open-job", "Only an open job can be applied for.", r"closed|filled|not open|no longer open|only an open",
      refusal="the job {job[job_id]} is {job[status]}")  # fmt: skip
def open_job(job: Row) -> bool:
    return bool(job["status"] == "open")


@rule("within-budget", "The expected salary must be within what the job pays at most.", r"budget|at most|too high",
      refusal="the job pays ${job[most]:,} at most")  # fmt: skip
def within_budget(job: Row, salary: int) -> bool:
    return bool(salary <= job["most"])


@rule("running", "Only a running application can be withdrawn.", r"rejected|withdrawn|running|decided",
      refusal="the application was {application[status]}")  # fmt: skip
def running(application: Row) -> bool:
    return bool(application["status"] in ("in review", "interview"))


@rule("interview-only", "An interview can be moved while there is one.", r"no interview|in review|rejected|withdrawn",
      refusal="there is no interview: the application is {application[status]}")  # fmt: skip
def interviewed(application: Row) -> bool:
    return bool(application["status"] == "interview")


class Recruiting(DescribedToolkit):
    @tool
    def find_by_email(self, email: Annotated[str, kinds.Email]) -> str:
        """The id of the candidate with an email address."""
        return str(self.only(Candidate, email=email)["candidate_id"])

    @tool
    def find_by_phone(self, phone: Annotated[str, kinds.Phone]) -> str:
        """The id of the candidate with a phone number."""
        return str(self.only(Candidate, phone=phone)["candidate_id"])

    @tool
    def get_job(self, job_id: Annotated[str, JOB]) -> Row:
        """A job: whether it is open, and the salary at most."""
        return self.row(Job, job_id)

    @tool
    def list_applications(self, candidate_id: CandidateId) -> list[Row]:
        """The applications of a candidate."""
        return self.db.find(Application, Application.candidate_id == candidate_id)

    @tool
    def get_application(self, application_id: Number) -> Row:
        """An application."""
        return self.row(Application, application_id)

    @tool(writes=True)
    @obeys(open_job, within_budget)
    def apply(self, candidate_id: CandidateId, job_id: Annotated[str, JOB], salary: Salary, remote: Remote) -> Row:
        """Hand in a candidate's application."""
        row = {"application_id": f"{candidate_id}-{job_id}", "candidate_id": candidate_id, "job_id": job_id}
        note = f"{salary} {'remote' if remote else 'office'}"
        return self.add(Application, {**row, "title": self.at["job"]["title"], "status": "in review", "note": note})

    @tool(writes=True)
    @obeys(running)
    def withdraw(self, application_id: Number) -> Row:
        """Withdraw an application."""
        return self.save(Application, application_id, status="withdrawn")

    @tool(writes=True)
    @obeys(interviewed)
    def move_interview(self, application_id: Number, date: NewDate, time: NewTime) -> Row:
        """Give an interview another date and time."""
        return self.save(Application, application_id, note=f"{date} {time}")


class Jobs(DescribedDomain):
    name, version, models, toolkit, users = "jobs", 0, Base, Recruiting, Candidate
    identify = ("find_by_email", "find_by_phone")
    wishes = {
        "apply": Wish("hand in the application", "handed in", phrase="apply for a job", also="apply|applied|submit"),
        "withdraw": Wish("withdraw the application", "withdrawn"),
        "move_interview": Wish("move the interview", "moved", phrase="[move|reschedule] my interview", also="resched"),
        "ask_status": Question("know how [an|my] application stands", "get_application", "status", "status"),
    }

    def data(self) -> dict[str, list[Row]]:
        rng, trades = Random(0), ("Welder", "Nurse", "Baker", "Driver", "Gardener", "Plumber", "Tailor", "Cook")
        jobs = [{"job_id": JOB.new(rng), "title": trade, "status": rng.choice(("open", "open", "filled")),
                 "most": rng.randrange(60_000, 90_000, 1_000)} for trade in trades for _ in range(3)]  # fmt: skip
        people = [
            {"candidate_id": f"c{n}", "email": f"me{n}@example.com", "phone": f"555-01{n:05d}"} for n in range(150)
        ]
        handed = {NUMBER.new(rng): (who, rng.choice(jobs)) for who in people for _ in range(rng.randint(2, 5))}
        return {"candidates": people, "jobs": jobs, "applications": [
            {"application_id": key, "candidate_id": who["candidate_id"], "job_id": job["job_id"], "title": job["title"],
             "status": rng.choice(("in review", "interview", "rejected")), "note": ""}
            for key, (who, job) in handed.items()]}  # fmt: skip


domain = Jobs()
