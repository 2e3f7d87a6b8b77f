"""Course registration: students enrol, drop courses, change how they are graded, and ask for their credits."""

from __future__ import annotations

from random import Random
from typing import Annotated, Any, Literal

from sqlalchemy import JSON
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from mua_env import DescribedDomain, DescribedToolkit, Question, Wish, kinds, obeys, rule, tool

Row = dict[str, Any]


class Base(DeclarativeBase): ...


class Student(Base):
    __tablename__ = "students"
    student_id: Mapped[str] = mapped_column(primary_key=True)
    number: Mapped[str]
    name: Mapped[str]
    passed: Mapped[list[str]] = mapped_column(JSON, info={"set": True})
    enrolled: Mapped[dict[str, str]] = mapped_column(JSON)
    credits: Mapped[int]


class Course(Base):
    __tablename__ = "courses"
    code: Mapped[str] = mapped_column(primary_key=True)
    needs: Mapped[list[str]] = mapped_column(JSON, info={"set": True})
    seats: Mapped[int]
    credits: Mapped[int]


StudentId = Annotated[str, kinds.Caller("student id", of=Student)]
NUMBER = kinds.Key("student number", "S######")
ANY = kinds.Key("course code", "@@-###", of=Course, slot="new_course")
OWN = kinds.Key("course code", "@@-###", of=Course, slot="own_course", keys=lambda student: list(student["enrolled"]))
Grading = Annotated[
    Literal["letter grade", "pass or fail"], kinds.Choice("grading", also={"pass or fail": ("pass/fail",)})
]


@rule("not-twice", "Nobody enrols in a course twice, or in one that is passed already.", r"already|twice|passed it",
      refusal="you are enrolled in {course[code]} already, or have passed it")  # fmt: skip
def not_twice(student: Row, course: Row) -> bool:
    return course["code"] not in (*student["enrolled"], *student["passed"])


@rule("prerequisites", "The courses that a course needs must be passed before.", r"prerequisite|\bneeds?\b|required",
      refusal="a prerequisite of {course[code]} is not passed: it needs {course[needs]}")  # fmt: skip
def prerequisites(student: Row, course: Row) -> bool:
    return set(course["needs"]) <= set(student["passed"])


@rule("free-seat", "A course must have a free seat.", r"\bseats?\b|\bfull\b", refusal="{course[code]} is full")
def free_seat(course: Row) -> bool:
    return bool(course["seats"])


@rule("credit-limit", "Nobody may have more than 30 credits in a term.", r"\bcredits\b|credit limit",
      refusal="that would be more than 30 credits")  # fmt: skip
def credit_limit(student: Row, course: Row) -> bool:
    return bool(student["credits"] + course["credits"] <= 30)


@rule("enrolled-only", "Only a course one is enrolled in can be dropped or graded otherwise.", r"not enrolled|not in",
      refusal="you are not enrolled in {course[code]}")  # fmt: skip
def enrolled_only(student: Row, course: Row) -> bool:
    return course["code"] in student["enrolled"]


class Office(DescribedToolkit):
    @tool
    def find_student(self, number: Annotated[str, NUMBER], name: Annotated[str, kinds.Name]) -> str:
        """The id of the student with a number and a name."""
        return str(self.only(Student, number=number, name=name)["student_id"])

    @tool
    def get_student(self, student_id: StudentId) -> Row:
        """A student: courses passed and enrolled in (with their grading), credits of this term."""
        return self.row(Student, student_id)

    @tool
    def get_course(self, code: Annotated[str, ANY]) -> Row:
        """A course: what it needs, its free seats and credits."""
        return self.row(Course, code)

    @tool(writes=True)
    @obeys(not_twice, prerequisites, free_seat, credit_limit)
    def enrol(self, student_id: StudentId, code: Annotated[str, ANY]) -> Row:
        """Enrol a student in a course, for a letter grade."""
        student, course = self.at["student"], self.at["course"]
        self.db.update(Course, code, seats=course["seats"] - 1)
        return self.save(Student, student_id, enrolled={**student["enrolled"], code: "letter grade"},
                         credits=student["credits"] + course["credits"])  # fmt: skip

    @tool(writes=True)
    @obeys(enrolled_only)
    def drop(self, student_id: StudentId, code: Annotated[str, OWN]) -> Row:
        """Take a student out of a course."""
        student, course = self.at["student"], self.at["course"]
        self.db.update(Course, code, seats=course["seats"] + 1)
        return self.save(Student, student_id, enrolled={k: v for k, v in student["enrolled"].items() if k != code},
                         credits=student["credits"] - course["credits"])  # fmt: skip

    @tool(writes=True)
    @obeys(enrolled_only)
    def change_grading(self, student_id: StudentId, code: Annotated[str, OWN], grading: Grading) -> Row:
        """Grade a student's course by letter, or as passed or failed."""
        return self.save(Student, student_id, enrolled={**self.at["student"]["enrolled"], code: grading})


class Courses(DescribedDomain):
    name, version, models, toolkit, users = "courses", 0, Base, Office, Student
    identify = "find_student"
    wishes = {
        "enrol": Wish(
            "enrol you in the course", "enrolled", phrase="[sign up for|enrol in] a course", also="sign|register"
        ),
        "drop": Wish("drop the course", "dropped", also="leave"),
        "change_grading": Wish("change the grading", "changed", phrase="change how a course is graded", also="switch"),
        "ask_credits": Question("know how many credits I have", "get_student", "credits", "number of credits"),
    }

    def data(self) -> dict[str, list[Row]]:
        rng, subjects = Random(0), ("MA", "PH", "CS", "HI", "EC")
        codes = [f"{subject}-{year}{n:02d}" for subject in subjects for year in (1, 2) for n in range(6)]
        courses = {code: {"code": code, "seats": rng.choice((0, 5, 20)), "credits": rng.choice((5, 10)),
                          "needs": [code.replace("-2", "-1")] if "-2" in code else []} for code in codes}  # fmt: skip
        names = [f"{first} {last}" for first in ("Ada", "Ben", "Cleo", "Finn") for last in ("Moss", "Reed", "Vale")]
        students = []
        for n in range(150):
            passed = rng.sample([code for code in codes if "-1" in code], 20)
            now = [code for code in rng.sample(codes, 4) if code not in passed]
            students.append({"student_id": f"s{n}", "number": NUMBER.new(rng), "name": names[n % 12], "passed": passed,
                             "enrolled": {code: rng.choice(("letter grade", "pass or fail")) for code in now},
                             "credits": sum(courses[code]["credits"] for code in now)})  # fmt: skip
        return {"students": students, "courses": list(courses.values())}


domain = Courses()
