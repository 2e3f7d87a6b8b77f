"""A public library: members borrow books, renew loans, report lost ones, and ask what they owe."""

from __future__ import annotations

from random import Random
from typing import Annotated, Any

from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from mua_env import DescribedDomain, DescribedToolkit, Question, Wish, kinds, obeys, rule, tool

Row = dict[str, Any]


class Base(DeclarativeBase): ...


class Member(Base):
    __tablename__ = "members"
    member_id: Mapped[str] = mapped_column(primary_key=True)
    card: Mapped[str]
    fine: Mapped[int]


class Book(Base):
    __tablename__ = "books"
    book_id: Mapped[str] = mapped_column(primary_key=True)
    title: Mapped[str]
    on_shelf: Mapped[int]
    waiting: Mapped[int]


class Loan(Base):
    __tablename__ = "loans"
    loan_id: Mapped[str] = mapped_column(primary_key=True)
    member_id: Mapped[str]
    book_id: Mapped[str]
    title: Mapped[str]
    status: Mapped[str]


MemberId = Annotated[str, kinds.Caller("member id", of=Member)]
CARD = kinds.Key("library card number", "LC-######")
BookId = Annotated[str, kinds.Named("book", of=Book, label="title", found_by="find_book")]
LOAN = kinds.Key("loan number", "L#####", of=Loan, owner="member_id", listed_by="list_loans",
                 contents=lambda loan: [loan["title"]])  # fmt: skip


@rule("no-fines", "Whoever owes more than $10 may neither borrow nor renew.", r"\bfines?\b|\bowes?\b|\bowing\b",
      refusal="there is a fine of ${member[fine]} to be paid first")  # fmt: skip
def no_fines(member: Row) -> bool:
    return bool(member["fine"] <= 10)


@rule("on-shelf", "Only a book with a copy on the shelf can be borrowed.", r"\bshelf\b|\bcop(?:y|ies)\b|all lent",
      refusal="no copy of {book[title]} is on the shelf")  # fmt: skip
def on_shelf(book: Row) -> bool:
    return bool(book["on_shelf"])


@rule("running-loan", "Only a running loan can be renewed or reported lost.", r"running|\bover\b|returned|ended",
      refusal="the loan is over: the book was {loan[status]}")  # fmt: skip
def running(loan: Row) -> bool:
    return bool(loan["status"] == "running")


@rule("nobody-waiting", "A book that somebody is waiting for cannot be renewed.", r"waiting|waits|reserved",
      refusal="somebody is waiting for the book")  # fmt: skip
def nobody_waiting(loan: Row, scope: Any) -> bool:
    return not scope.load(Book, loan["book_id"])["waiting"]


class Counter(DescribedToolkit):
    @tool
    def find_member(self, card: Annotated[str, CARD]) -> str:
        """The id of the member with a library card."""
        return str(self.only(Member, card=card)["member_id"])

    @tool
    def get_member(self, member_id: MemberId) -> Row:
        """A member, with the fine in dollars."""
        return self.row(Member, member_id)

    @tool
    def find_book(self, title: str) -> Row:
        """The book with a title."""
        return self.only(Book, title=title)

    @tool
    def get_book(self, book_id: BookId) -> Row:
        """A book: copies on the shelf, and people waiting for it."""
        return self.row(Book, book_id)

    @tool
    def list_loans(self, member_id: MemberId) -> list[Row]:
        """The loans of a member, past ones too."""
        return self.db.find(Loan, Loan.member_id == member_id)

    @tool
    def get_loan(self, loan_id: Annotated[str, LOAN]) -> Row:
        """A loan."""
        return self.row(Loan, loan_id)

    @tool(writes=True)
    @obeys(no_fines, on_shelf)
    def borrow_book(self, member_id: MemberId, book_id: BookId) -> Row:
        """Lend a member a book."""
        book = self.at["book"]
        self.db.update(Book, book_id, on_shelf=book["on_shelf"] - 1)
        return self.add(Loan, {"loan_id": f"{member_id}-{book_id}", "member_id": member_id, "book_id": book_id,
                               "title": book["title"], "status": "running"})  # fmt: skip

    @tool(writes=True)
    @obeys(running, nobody_waiting)
    def renew_loan(self, loan_id: Annotated[str, LOAN]) -> Row:
        """Renew a running loan."""
        return self.save(Loan, loan_id, status="renewed")

    @tool(writes=True)
    @obeys(running)
    def report_lost(self, loan_id: Annotated[str, LOAN]) -> Row:
        """Close a loan whose book is lost."""
        return self.save(Loan, loan_id, status="lost")


class Library(DescribedDomain):
    name, version, models, toolkit, users = "library", 0, Base, Counter, Member
    identify = "find_member"
    wishes = {
        "borrow_book": Wish("lend the book", "lent", phrase="borrow a book", also="borrow"),
        "renew_loan": Wish("renew the loan", "renewed", also="extend"),
        "report_lost": Wish("close the loan", "closed", phrase="report a book as lost", also="report"),
        "ask_fine": Question("know [what I owe|how much I owe]", "get_member", "fine", "fine"),
    }

    def data(self) -> dict[str, list[Row]]:
        rng, words = (
            Random(0),
            ("Garden", "River", "Winter", "Clock", "Island", "Mirror", "Voyage", "Orchard", "Lantern"),
        )
        titles = [f"The {a} and the {b}" for a in words for b in words if a < b]
        books = [{"book_id": f"b{n}", "title": t, "on_shelf": n % 4, "waiting": n % 3} for n, t in enumerate(titles)]
        members = [{"member_id": f"m{n}", "card": CARD.new(rng), "fine": rng.choice((0, 0, 3, 25))} for n in range(150)]
        loans = {LOAN.new(rng): (member, rng.choice(books)) for member in members for _ in range(rng.randint(2, 5))}
        return {"members": members, "books": books, "loans": [
            {"loan_id": key, "member_id": member["member_id"], "book_id": book["book_id"], "title": book["title"],
             "status": rng.choice(("running", "returned"))} for key, (member, book) in loans.items()]}  # fmt: skip


domain = Library()
