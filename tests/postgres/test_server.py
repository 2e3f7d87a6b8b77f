"""What only PostgreSQL has: databases on a server that others use, and that outlive a process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from engine.helpers import call, cancel
from shop import ShopUser, shop
from shop.models import Order
from sqlalchemy import create_engine, make_url, text
from sqlalchemy.pool import NullPool

from mua_env.core.database import open_template
from mua_env.core.database._postgres import PostgresTemplate, Server
from mua_env.episode.session import Session
from mua_env.episode.setting import load_setting
from mua_env.errors import ConfigError

pytestmark = pytest.mark.postgres
TESTS = Path(__file__).parent.parent

Query = Callable[[str], list[str]]


@pytest.fixture
def query(postgres_url: str) -> Iterator[Query]:
    engine = create_engine(postgres_url, poolclass=NullPool, isolation_level="AUTOCOMMIT")

    def run(statement: str) -> list[str]:
        with engine.connect() as connection:
            result = connection.execute(text(statement))
            return [str(row[0]) for row in result] if result.returns_rows else []

    yield run
    engine.dispose()


def clones(query: Query) -> set[str]:
    return set(query(r"SELECT datname FROM pg_database WHERE datname LIKE 'mua\_c\_%'"))


def rows(order: int) -> dict[str, list[dict[str, object]]]:
    """Data that no other test has, so that its template is made anew."""
    made = {"order_id": "#1", "customer_id": "c1", "status": "pending", "total": order}
    return {"orders": [made]}


def child(program: str, url: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(TESTS)}
    command = [sys.executable, "-c", program, url]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True, env=environment)


HOLD = """
import sys
from shop import shop
from mua_env.core.database import open_template
template = open_template(shop.models, shop.data(), url=sys.argv[1])
databases = [template.clone() for _ in range(2)]
print("\\n".join(d.execute(__import__("sqlalchemy").text("SELECT current_database()")).scalar() for d in databases))
print("ready", flush=True)
sys.stdin.readline()
"""


def names_from(process: subprocess.Popen[str]) -> set[str]:
    assert process.stdout is not None
    names: set[str] = set()
    for line in process.stdout:
        if line.strip() == "ready":
            return names
        names.add(line.strip())
    raise AssertionError("the child ended early")


def test_one_template_for_each_content(postgres_url: str, query: Query) -> None:
    first = PostgresTemplate(shop.models, rows(1001), postgres_url)
    made = query(f"SELECT oid FROM pg_database WHERE datname = '{first.name}'")
    second = PostgresTemplate(shop.models, rows(1001), postgres_url)
    other = PostgresTemplate(shop.models, rows(1002), postgres_url)
    assert second.name == first.name != other.name
    assert query(f"SELECT oid FROM pg_database WHERE datname = '{first.name}'") == made
    for template in (first, second, other):
        template.close()


def test_nobody_can_connect_to_a_template(postgres_url: str, query: Query) -> None:
    template = PostgresTemplate(shop.models, rows(1003), postgres_url)
    clone = template.clone()
    assert query(f"SELECT datallowconn FROM pg_database WHERE datname = '{template.name}'") == ["False"]
    assert query(f"SELECT count(*) FROM pg_stat_activity WHERE datname = '{template.name}'") == ["0"]
    clone.close()
    template.close()


MAKE = """
import sys
sys.stdin.readline()
from mua_env.core.database import open_template
from shop import shop
data = {"orders": [{"order_id": str(i), "customer_id": "c", "status": "s", "total": i} for i in range(3000)]}
template = open_template(shop.models, data, url=sys.argv[1])
print(template.name, len(template.clone().find(__import__("shop.models").models.Order)))
"""


def test_processes_that_start_together_make_one_template(postgres_url: str, query: Query) -> None:
    before = set(query(r"SELECT datname FROM pg_database WHERE datname LIKE 'mua\_t\_%'"))
    children = [child(MAKE, postgres_url) for _ in range(3)]
    for process in children:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    answers = {process.communicate(timeout=120)[0].strip() for process in children}
    assert [process.returncode for process in children] == [0, 0, 0]
    (answer,) = answers
    name, count = answer.split()
    assert count == "3000"
    assert set(query(r"SELECT datname FROM pg_database WHERE datname LIKE 'mua\_t\_%'")) - before == {name}


def test_a_clone_is_dropped_when_it_is_closed(postgres_url: str, query: Query) -> None:
    template = open_template(shop.models, shop.data(), url=postgres_url)
    before = clones(query)
    database = template.clone()
    twin = database.fork()
    assert len(clones(query) - before) == 2
    database.close()
    database.close()
    twin.close()
    assert clones(query) == before
    template.close()


def test_clones_outlive_their_template_object(postgres_url: str, query: Query) -> None:
    template = open_template(shop.models, shop.data(), url=postgres_url)
    before = clones(query)
    database = template.clone()
    template.close()
    database.update(Order, "#1", status="x")
    assert database.get(Order, "#1") is not None
    database.close()
    assert clones(query) == before


def test_a_process_that_ends_leaves_nothing(postgres_url: str, query: Query) -> None:
    process = child(HOLD, postgres_url)
    names = names_from(process)
    assert names <= clones(query)
    process.communicate("\n", timeout=60)
    assert process.returncode == 0
    assert not names & clones(query)


def test_what_a_crash_left_is_dropped_at_the_next_start(postgres_url: str, query: Query) -> None:
    crashed, living = child(HOLD, postgres_url), child(HOLD, postgres_url)
    left, kept = names_from(crashed), names_from(living)
    crashed.send_signal(signal.SIGKILL)
    crashed.wait(timeout=30)
    assert left <= clones(query)  # nobody has cleaned up
    deadline = time.monotonic() + 30
    while left & clones(query) and time.monotonic() < deadline:
        # The server needs a moment to notice that the process is gone.
        open_template(shop.models, shop.data(), url=postgres_url).close()
    assert not left & clones(query)
    assert kept <= clones(query)
    living.communicate("\n", timeout=60)


def test_clones_of_the_living_are_seen_through_any_database(postgres_url: str, query: Query) -> None:
    query("CREATE DATABASE elsewhere")
    living = child(HOLD, postgres_url)
    kept = names_from(living)
    other = Server(make_url(postgres_url).set(database="elsewhere").render_as_string(hide_password=False))
    assert not kept & set(other.drop_abandoned())
    other.close()
    assert kept <= clones(query)
    living.communicate("\n", timeout=60)
    query("DROP DATABASE elsewhere")


def test_lost_connection_is_a_fault_of_the_environment(postgres_url: str, query: Query) -> None:
    setting = load_setting(shop, "train", database_url=postgres_url)
    session = Session(setting, ShopUser())
    session.start(setting.tasks[1])
    name = session.world.database.execute(text("SELECT current_database()")).scalar()
    query(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
    result = session.send(call("get_order", order_id="#1"))
    assert (result.truncated, session.episode.ended_by) == (True, "fault")
    assert result.score is not None
    assert (result.score.reward, result.score.fault) == (None, "environment")
    session.start(setting.tasks[1])
    session.send(cancel(1))
    score = session.send("It is done.").score
    assert score is not None
    assert score.reward == 1.0
    assert name not in clones(query)
    session.close()


def test_connection_lost_between_episodes_is_made_anew(postgres_url: str, query: Query) -> None:
    setting = load_setting(shop, "train", database_url=postgres_url)
    session = Session(setting, ShopUser())
    session.start(setting.tasks[1])
    session.send("It is done.")
    name = session.world.database.execute(text("SELECT current_database()")).scalar()
    query(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
    session.start(setting.tasks[1])
    assert '"status": "pending"' in str(session.send(call("get_order", order_id="#1")).messages[0].content)
    session.close()


def opening(url: str) -> str:
    with pytest.raises(ConfigError) as caught:
        open_template(shop.models, rows(1005), url=url)
    return str(caught.value)


def test_unreachable_server_is_named() -> None:
    said = opening("postgresql+psycopg://me:secret@127.0.0.1:1/postgres")
    assert "no connection to PostgreSQL at 127.0.0.1:1" in said
    assert "Is the server running" in said
    assert "secret" not in said


def test_unknown_database_is_named(postgres_url: str) -> None:
    said = opening(postgres_url.replace("/postgres?", "/nowhere?"))
    assert 'database "nowhere" does not exist' in said


def test_other_drivers_are_refused() -> None:
    assert "the driver 'postgresql+psycopg2'; use 'postgresql+psycopg://" in opening("postgresql+psycopg2://x")


def test_missing_right_is_named(postgres_url: str, query: Query) -> None:
    query("CREATE ROLE plain LOGIN")
    said = opening(postgres_url.replace("postgres@", "plain@"))
    assert "plain may not create databases" in said
    assert 'ALTER ROLE "plain" CREATEDB' in said
    query("DROP ROLE plain")


def test_wrong_password_is_named_and_not_shown(postgres_url: str, query: Query) -> None:
    query("CREATE ROLE keeper LOGIN CREATEDB PASSWORD 'right'")
    (file,) = query("SHOW hba_file")
    rules = Path(file)
    before = rules.read_text()
    rules.write_text(f"local all keeper scram-sha-256\n{before}")
    query("SELECT pg_reload_conf()")
    try:
        said = opening(postgres_url.replace("postgres@", "keeper:wrong-one@"))
        assert "refuses the password of 'keeper'" in said
        assert "wrong-one" not in said
        assert "refuses the password of 'keeper'" in opening(postgres_url.replace("postgres@", "keeper@"))
        template = PostgresTemplate(shop.models, rows(1004), postgres_url.replace("postgres@", "keeper:right@"))
        database = template.clone()
        assert (database.get(Order, "#1") or {})["total"] == 1004
        database.close()
        template.close()
        query(f'DROP DATABASE "{template.name}"')
    finally:
        rules.write_text(before)
        query("SELECT pg_reload_conf()")
        query("DROP ROLE keeper")


def test_missing_driver_is_answered_with_the_command() -> None:
    program = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from shop import shop; from mua_env.core.database import open_template\n"
        "try:\n    open_template(shop.models, {}, url='postgresql://x')\n"
        "except ImportError as error:\n    print(error)"
    )
    said = child(program, "").communicate(timeout=60)[0]
    assert said.strip().endswith("pip install 'mua-env[postgres]'")
