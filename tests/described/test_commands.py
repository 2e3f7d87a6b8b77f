"""`mua-env domains`: a new domain passes its own tests, and what is missing in one is told in words."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from shop import shop

from described.hotel import BookingId, Desk, Hotel
from mua_env import (
    DescribedDomain,
    DialogueEnv,
    Question,
    Wish,
    check_domain,
    import_domain,
    new_domain,
    obeys,
    rule,
    tool,
)
from mua_env.cli import main
from mua_env.errors import ConfigError, DomainError

EXAMPLES = Path(__file__).parents[2] / "examples" / "domains"


def test_a_new_domain_passes_its_own_tests_as_it_stands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["domains", "new", "car_rental", "--output", str(tmp_path / "rental")]) == 0
    written = sorted(path.name for path in (tmp_path / "rental").iterdir())
    assert written == ["car_rental_domain.py", "pyproject.toml", "test_car_rental_domain.py"]
    assert "pip install -e" in capsys.readouterr().out
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    ended = subprocess.run(command, cwd=tmp_path / "rental", capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode == 0, ended.stdout


def test_its_module_is_short(tmp_path: Path) -> None:
    module, *_ = new_domain("hotel_desk", tmp_path / "desk")
    assert len(module.read_text(encoding="utf-8").splitlines()) <= 110


@pytest.mark.parametrize("name", ["Hotel", "2fast", "car-rental", "", "test", "retail"])
def test_a_name_that_cannot_be_is_refused_and_nothing_is_written(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        new_domain(name, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("precious")
    with pytest.raises(ConfigError, match="exists already"):
        new_domain("hotel_desk", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_the_example_domains_lack_nothing_and_are_short(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["domains", "check", str(path)]) == 0
    assert capsys.readouterr().out.endswith(": 0 problems\n")
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 150


def test_an_installed_example_is_an_environment(tmp_path: Path) -> None:
    info = tmp_path / "examples-0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: examples\nVersion: 0\n")
    entries = (EXAMPLES / "pyproject.toml").read_text(encoding="utf-8").partition('mua_env.domains"]\n')[2]
    lines = [line.replace('"', "") for line in entries.splitlines()[:5]]
    (info / "entry_points.txt").write_text("\n".join(["[mua_env.domains]", *lines]) + "\n")
    code = (
        "import gymnasium as gym, mua_env\n"
        "for name in ('Library', 'MeetingRooms', 'Courses', 'Jobs', 'Flats'):\n"
        "    env = gym.make(f'MUA/{name}-v0')\n"
        "    assert env.reset(seed=0)[0][0]['content']\n"
        "vector = gym.make_vec('MUA/Library-v0', num_envs=2)\n"
        "assert len(vector.reset(seed=0)[0]) == 2\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": f"{tmp_path}:{EXAMPLES}", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr


# What check says of a domain with one fault


@pytest.fixture
def hotel() -> DescribedDomain:
    return Hotel()


def faulty(hotel: DescribedDomain, **changed: Any) -> DescribedDomain:
    """The front desk with some of its parts replaced."""
    made: DescribedDomain = type("Faulty", (type(hotel),), changed)()
    return made


def test_a_tool_that_writes_needs_a_wish(hotel: DescribedDomain) -> None:
    wishes = {name: wish for name, wish in hotel.wishes.items() if name != "cancel_booking"}
    (problem,) = check_domain(faulty(hotel, wishes=wishes))
    assert "'cancel_booking' writes, but no wish is for it" in problem


def test_a_wish_for_a_tool_that_there_is_not_names_the_nearest(hotel: DescribedDomain) -> None:
    wishes = {**hotel.wishes, "cancel": Wish("cancel it", "cancelled", tool="cancel_bookings")}
    assert any("Did you mean 'cancel_booking'?" in problem for problem in check_domain(faulty(hotel, wishes=wishes)))


def test_a_question_needs_a_tool_that_reads_and_a_column(hotel: DescribedDomain) -> None:
    wrong = {**hotel.wishes, "ask": Question("know it", "cancel_booking", "status", "status")}
    assert any("a question needs a tool that reads" in problem for problem in check_domain(faulty(hotel, wishes=wrong)))
    missing = {**hotel.wishes, "ask": Question("know its colour", "get_room", "colour", "colour")}
    assert any("'colour', which rooms lacks" in problem for problem in check_domain(faulty(hotel, wishes=missing)))


def test_an_argument_needs_a_kind(hotel: DescribedDomain) -> None:
    class Bare(Desk):
        @tool(writes=True)
        def cancel_booking(self, booking_id: str) -> str:
            """Cancel a booking."""
            return {}

    (problem,) = check_domain(faulty(hotel, toolkit=Bare))
    assert "'booking_id' of 'cancel_booking' has no kind" in problem


def test_a_rule_must_be_about_records_that_its_tool_knows(hotel: DescribedDomain) -> None:
    @rule("paid", "It must be paid.", "paid")
    def paid(bookings: dict[str, Any]) -> bool:
        return bool(bookings)

    class Wrong(Desk):
        @tool(writes=True)
        @obeys(paid)
        def cancel_booking(self, booking_id: BookingId) -> dict[str, Any]:
            """Cancel a booking."""
            return {}

    (problem,) = check_domain(faulty(hotel, toolkit=Wrong))
    assert "'paid' is about 'bookings', which 'cancel_booking' does not know. Did you mean 'booking'?" in problem


def test_a_rule_that_no_task_meets_is_told() -> None:
    class Roomy(Hotel):
        def data(self) -> dict[str, list[dict[str, Any]]]:
            rows = super().data()
            return {**rows, "rooms": [{**room, "free": 5} for room in rows["rooms"]]}

    assert any("no task breaks the rule 'free-room'" in problem for problem in check_domain(Roomy()))


def test_a_rule_whose_refusal_does_not_give_its_reason_is_told(hotel: DescribedDomain) -> None:
    @rule("odd", "Bookings must be odd.", "paid")
    def odd(booking: dict[str, Any]) -> bool:
        return bool(booking)

    class Wrong(Desk):
        @tool(writes=True)
        @obeys(odd)
        def cancel_booking(self, booking_id: BookingId) -> dict[str, Any]:
            """Cancel a booking."""
            return {}

    assert any("its own reason is not found" in problem for problem in check_domain(faulty(hotel, toolkit=Wrong)))


def test_wishes_that_cannot_be_told_apart_are_told(hotel: DescribedDomain) -> None:
    wishes = {"cancel_booking": Wish("change the room", "changed"), "change_room": Wish("change the room", "changed")}
    assert any("is heard as" in problem for problem in check_domain(faulty(hotel, wishes=wishes)))


def test_a_tool_that_breaks_is_told_with_its_place(hotel: DescribedDomain) -> None:
    class Broken(Desk):
        @tool(writes=True)
        def cancel_booking(self, booking_id: BookingId) -> dict[str, Any]:
            """Cancel a booking."""
            raise ZeroDivisionError("no")

    (problem,) = check_domain(faulty(hotel, toolkit=Broken))
    assert problem.startswith("ZeroDivisionError in ")


def test_a_domain_written_by_hand_is_checked_as_far_as_that_goes() -> None:
    found = check_domain(shop)
    assert [problem for problem in found if "gold" in problem] == []
    assert any("no language" in problem for problem in found)
    assert any("no scripted expert" in problem for problem in found)


def test_what_is_no_domain_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(DomainError, match="there is no file"):
        import_domain(str(tmp_path / "nothing.py"))
    (tmp_path / "empty.py").write_text("x = 1\n")
    with pytest.raises(DomainError, match="has nothing under 'domain'"):
        import_domain(str(tmp_path / "empty.py"))
    (tmp_path / "broken.py").write_text("1 / 0\n")
    assert main(["domains", "check", str(tmp_path / "broken.py")]) == 2
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_the_installed_domains_are_listed_still(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["domains"]) == 0
    assert "MUA/Retail-v1" in capsys.readouterr().out


def test_a_domain_object_makes_an_environment_without_being_installed(hotel: DescribedDomain) -> None:
    env = DialogueEnv(hotel, tasks="train:level=1")
    assert isinstance(env, gym.Env)
    messages, _ = env.reset(seed=0)
    assert messages[0]["content"]
    env.close()
