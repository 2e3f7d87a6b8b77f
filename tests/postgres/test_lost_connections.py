"""A server that goes away, or gives no connection: dialogues become faults, and the process recovers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Any

import pytest
from engine.helpers import call, cancel
from shop import ShopUser, shop
from sqlalchemy import create_engine, text
from sqlalchemy.pool import NullPool

from mua_env.core.agent import Agent
from mua_env.core.database import open_template
from mua_env.core.messages import AssistantMessage, Message
from mua_env.core.tasks import Task
from mua_env.core.trajectory import Trajectory
from mua_env.episode.session import Session
from mua_env.episode.setting import Setting, load_setting
from mua_env.errors import ConfigError, EpisodeError
from mua_env.evaluation.rollouts import RolloutOptions, plan, run_rollout
from mua_env.gym.vector import DialogueVectorEnv
from mua_env.users.base import UserReply, UserSession

pytestmark = pytest.mark.postgres
ROLE = "visitor"
_numbers = count()


class Server:
    """A role's view of the server, and the administrator's hand on it."""

    def __init__(self, url: str) -> None:
        self._engine = create_engine(url, poolclass=NullPool, isolation_level="AUTOCOMMIT")
        # A name of its own keeps what a process shares by its URL apart from other tests.
        self.url = f"{url.replace('postgres@', f'{ROLE}@')}&application_name=test{next(_numbers)}"

    def ask(self, statement: str) -> list[str]:
        with self._engine.connect() as connection:
            result = connection.execute(text(statement))
            return [str(row[0]) for row in result] if result.returns_rows else []

    def clones(self) -> set[str]:
        return set(self.ask(r"SELECT datname FROM pg_database WHERE datname LIKE 'mua\_c\_%'"))

    def cut(self, where: str = "true") -> None:
        """End the role's connections."""
        self.ask(f"SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = '{ROLE}' AND {where}")

    def limit(self, connections: int) -> None:
        """Give the role no more connections than so many; -1 for as many as it likes."""
        self.ask(f"ALTER ROLE {ROLE} CONNECTION LIMIT {connections}")


@pytest.fixture
def server(postgres_url: str) -> Iterator[Server]:
    made = Server(postgres_url)
    made.ask(f"CREATE ROLE {ROLE} LOGIN CREATEDB")
    yield made
    made.limit(-1)
    for name in made.ask(
        f"SELECT datname FROM pg_database JOIN pg_roles ON datdba = pg_roles.oid WHERE rolname = '{ROLE}'"
    ):
        made.ask(f'ALTER DATABASE "{name}" WITH ALLOW_CONNECTIONS false')
        made.ask(f'DROP DATABASE "{name}"')
    made.ask(f"DROP ROLE {ROLE}")


@pytest.fixture
def setting(server: Server) -> Iterator[Setting]:
    made = load_setting(shop, "train", database_url=server.url)
    yield made
    made.scorer.close()
    made.sql.template.close()


class Canceller(Agent):
    """Does what the tasks ask for; `before` is called with the number of each dialogue, before its first call."""

    name = "canceller"
    blocking = False

    def __init__(self, before: Callable[[int], None] = lambda number: None) -> None:
        self._before, self._number = before, 0

    def reset(self, **_: Any) -> None:
        self._number += 1
        self._turn = 0

    def act(self, messages: Sequence[Message]) -> AssistantMessage:
        self._turn += 1
        if self._turn == 1:
            self._before(self._number)
            return AssistantMessage.model_validate(cancel(1))
        return AssistantMessage(content="It is done.")


def rollout(setting: Setting, agent: Canceller, *, repeats: int) -> list[Trajectory]:
    ended: list[Trajectory] = []
    task: Task = setting.tasks[1]
    run_rollout(
        setting,
        ShopUser(),
        lambda: agent,
        plan([task], repeats=repeats),
        options=RolloutOptions(concurrency=1),
        on_end=ended.append,
    )
    return ended


def rewards(ended: list[Trajectory]) -> list[float | None]:
    return [item.score.reward if item.score else None for item in ended]


def test_a_rollout_goes_on_after_all_connections_are_lost(server: Server, setting: Setting) -> None:
    def before(number: int) -> None:
        if number == 2:
            server.cut()

    ended = rollout(setting, Canceller(before), repeats=4)
    assert rewards(ended) == [1.0, None, 1.0, 1.0]
    assert ended[1].ended_by == "fault"
    assert str(ended[1].cause).startswith("the database failed: ")


def test_a_rollout_outlives_a_server_that_gives_no_connection(server: Server, setting: Setting) -> None:
    before = server.clones()

    def at(number: int) -> None:
        if number == 2:
            server.limit(0)
            server.cut()

    ended = rollout(setting, Canceller(at), repeats=5)
    assert rewards(ended) == [1.0, None, None, None, None]
    assert {item.ended_by for item in ended[1:]} == {"fault"}
    assert "too many connections" in str(ended[-1].cause)
    server.limit(-1)
    assert rewards(rollout(setting, Canceller(), repeats=2)) == [1.0, 1.0]
    setting.scorer.close()
    setting.sql.template.close()
    assert server.clones() == before


@pytest.mark.parametrize("which", ["what makes clones", "the reader", "the scratch world"])
def test_each_connection_that_all_share_is_made_anew(server: Server, setting: Setting, which: str) -> None:
    session = Session(setting, ShopUser())
    session.start(setting.tasks[1])
    session.send(cancel(1))
    assert session.send("It is done.").reward == 1.0
    world = setting.scorer._world
    assert world is not None
    name = {
        "what makes clones": "postgres",
        "the reader": setting.sql.template.reader().execute(text("SELECT current_database()")).scalar(),
        "the scratch world": world.database.execute(text("SELECT current_database()")).scalar(),
    }[which]
    server.cut(f"datname = '{name}'")
    setting.scorer._gold.clear()
    other = Session(setting, ShopUser())
    other.start(setting.tasks[1])
    other.send(cancel(1))
    assert other.send("It is done.").reward == 1.0
    for each in (session, other):
        each.close()


def test_a_database_that_fails_at_scoring_makes_a_fault_and_no_reward(server: Server, setting: Setting) -> None:
    session = Session(setting, ShopUser())
    session.start(setting.tasks[1])
    session.send(cancel(1))
    own = session.world.database.execute(text("SELECT current_database()")).scalar()

    class CutWhileSpeaking(UserSession):
        def reply(self, text: str | None) -> UserReply:
            server.cut(f"datname = '{own}'")
            return line.reply(text)

        def fork(self) -> UserSession:
            return self

    assert session._line is not None
    line = session._line.user
    session._line.user = CutWhileSpeaking()
    result = session.send("It is done.")
    assert result.done
    assert result.score is not None
    assert (result.score.reward, result.score.fault) == (None, "environment")
    assert str(session.trajectory(id="x").cause).startswith("the database failed: ")
    session._line = None
    assert session.start(setting.tasks[1]).messages
    session.close()


def test_a_failed_connect_leaves_no_database(server: Server, setting: Setting) -> None:
    before = server.clones()
    used = int(server.ask(f"SELECT count(*) FROM pg_stat_activity WHERE usename = '{ROLE}'")[0])
    server.limit(used)  # enough for what is open, not for another one
    session = Session(setting, ShopUser())
    for _ in range(3):
        assert session.start(setting.tasks[1]).truncated
        assert "no connection to PostgreSQL" in str(session.episode.cause)
    assert server.clones() == before
    server.limit(-1)
    session.start(setting.tasks[1])
    session.send(cancel(1))
    assert session.send("It is done.").reward == 1.0
    session.close()
    assert len(server.clones() - before) == 2  # the reader, and the scratch world


def test_an_environment_without_a_database_ends_at_once_and_can_be_reset(server: Server, setting: Setting) -> None:
    env = DialogueVectorEnv(shop, num_envs=2, user=ShopUser(), tasks=setting.tasks, database_url=server.url)
    server.limit(0)
    server.cut()
    env.reset(seed=0)
    _, rewards, terminated, truncated, infos = env.step(["hello", "hello"])
    assert rewards.tolist() == [0.0, 0.0]
    assert truncated.all()
    assert not terminated.any()
    assert all("the database failed" in cause for cause in infos["cause"])
    server.limit(-1)
    env.reset(seed=0)
    assert not env.step([call("get_order", order_id="#1")] * 2)[3].any()
    env.close()


def test_a_server_that_is_not_there_at_the_start_is_an_error(server: Server) -> None:
    server.limit(0)
    with pytest.raises(ConfigError, match="no connection to PostgreSQL"):
        open_template(shop.models, shop.data(), url=server.url)


def test_a_forked_child_is_told_and_does_no_harm(server: Server, setting: Setting) -> None:
    session = Session(setting, ShopUser())
    session.start(setting.tasks[1])
    pid = os.fork()
    if not pid:
        status = 1
        try:
            refused = [_refusal(lambda: session.send(cancel(1))), _refusal(setting.make_world)]
            session.close()
            status = 0 if all("os.fork()" in text for text in refused) else 2
        finally:
            os._exit(status)
    assert os.waitpid(pid, 0)[1] == 0
    session.send(cancel(1))
    assert session.send("It is done.").reward == 1.0
    session.close()


def _refusal(use: Callable[[], object]) -> str:
    try:
        use()
    except EpisodeError as error:
        return str(error)
    return ""
