"""Environments that are closed by one thread while another steps, and environments in forked children.

All in child processes: what went wrong here was a crash of the interpreter, or a wait for ever.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent.parent
SECONDS = 120
"""After which a child that hangs is ended."""
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no os.fork() here")


def run(program: str) -> str:
    """What a program prints; it must end by itself, without a signal."""
    environment = {**os.environ, "PYTHONPATH": str(TESTS), "PYTHONFAULTHANDLER": "1"}
    done = subprocess.run(
        [sys.executable, "-c", _HEAD + program], capture_output=True, text=True, env=environment, timeout=SECONDS
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


_HEAD = """
import os, sys, threading, time
from shop import ShopUser, shop
from engine.helpers import call, cancel
from mua_env.gym.env import DialogueEnv
from mua_env.errors import EpisodeError
from mua_env.episode.setting import load_setting
from mua_env.gym.vector import DialogueVectorEnv

def stepping(env, turn, told):
    try:
        while True:
            env.reset(seed=1)
            for _ in range(20):
                if any(env.step(turn)[2:4]): break
    except EpisodeError as error:
        told.append(str(error))
"""

CLOSED_AMID_STEPS = """
told = []
busy = [call("find_customer", email="person1@example.com"), call("get_order", order_id="#1"), cancel(1)]
for round in range(60):
    env = DialogueEnv(shop, user=ShopUser(), max_turns=1000)
    turn = {**busy[0], "tool_calls": [c for one in busy * 30 for c in one["tool_calls"]]}
    thread = threading.Thread(target=stepping, args=(env, turn, told))
    thread.start()
    time.sleep(0.001 * (round % 10))
    env.close()
    thread.join()
print(len(told), sorted({"closed" in text for text in told}))
"""


def test_closing_an_environment_beside_its_running_step_is_an_error_and_no_crash() -> None:
    assert run(CLOSED_AMID_STEPS).strip() == "60 [True]"


RAW = """
from shop.models import Order
told = []
def reading(database):
    try:
        while True:
            with database.savepoint():
                database.update(Order, "#1", status="x")
                database.find(Order)
                database.changes()
            database.fork().close()
            database.reset()
    except EpisodeError as error:
        told.append(str(error))
template = load_setting(shop, "train").sql.template
for round in range(60):
    database = template.clone()
    thread = threading.Thread(target=reading, args=(database,))
    thread.start()
    time.sleep(0.0005 * (round % 10))
    template.close()  # its reader goes too
    database.close()
    thread.join()
print(len(told))
"""


def test_closing_a_database_or_its_template_beside_any_statement_is_an_error_and_no_crash() -> None:
    assert run(RAW).strip() == "60"


VECTOR_CLOSED = """
told = []
env = DialogueVectorEnv(shop, num_envs=4, user=ShopUser(delay=30.0))
def step():
    try:
        env.reset(seed=1)
    except EpisodeError as error:
        told.append(str(error))
thread = threading.Thread(target=step)
thread.start()
time.sleep(0.5)
env.close()
thread.join(20)
print(thread.is_alive(), told)
"""


def test_closing_a_vector_environment_ends_a_step_that_waits_for_its_users() -> None:
    assert run(VECTOR_CLOSED).strip() == "False ['this environment was closed during the step']"


VECTOR_CLOSED_BETWEEN = """
told, hanging = [], 0
for round in range(40):
    env = DialogueVectorEnv(shop, num_envs=2, user=ShopUser())
    env.reset(seed=round)
    def steps():
        try:
            while True:
                env.step(["Hello?"] * 2)
        except EpisodeError as error:
            told.append(str(error))
    thread = threading.Thread(target=steps)
    thread.start()
    time.sleep(0.0003 * (round % 10))
    env.close()
    thread.join(20)
    hanging += thread.is_alive()
print(hanging, len(told), {"closed" in text for text in told})
"""


def test_a_vector_environment_that_is_closed_at_any_moment_ends_whoever_steps_in_it() -> None:
    assert run(VECTOR_CLOSED_BETWEEN).strip() == "0 40 {True}"


VECTOR_TWICE = """
env = DialogueVectorEnv(shop, num_envs=2, user=ShopUser(delay=1.0))
thread = threading.Thread(target=env.reset)
thread.start()
time.sleep(0.3)
try:
    env.reset()
except EpisodeError as error:
    print(error)
thread.join()
print(len(env.reset(seed=1)[0]))
env.close()
"""


def test_two_threads_in_one_vector_environment_are_told() -> None:
    said = run(VECTOR_TWICE).splitlines()
    assert said == ["another step of this environment is running in another thread", "2"]


FORKED = """
def finish(env):
    observations = env.reset(seed=5)[0]
    env.step(["Which order?"] * 3)
    return observations
env = DialogueVectorEnv(shop, num_envs=3, user=ShopUser(delay=0.01))
env.reset(seed=0)
env.step(["hello"] * 3)
pid = os.fork()
if not pid:
    status = 1
    try:
        mine = finish(env)
        env.close()
        env.close()
        status = 0 if len(mine) == 3 else 2
    finally:
        os._exit(status)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
print(len(finish(env)))
env.close()
"""


def test_a_vector_environment_goes_on_in_a_forked_child_and_in_its_parent() -> None:
    assert run(FORKED).split() == ["0", "3"]


FORKED_AMID_A_STEP = """
env = DialogueVectorEnv(shop, num_envs=2, user=ShopUser(delay=1.0))
thread = threading.Thread(target=env.reset)
thread.start()
time.sleep(0.3)
pid = os.fork()
if not pid:
    status = 1
    try:
        env.reset()
    except EpisodeError as error:
        status = 0 if "forked amid a step" in str(error) else 2
    finally:
        os._exit(status)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
thread.join()
env.close()
"""


def test_a_fork_amid_a_step_is_told_in_the_child() -> None:
    assert run(FORKED_AMID_A_STEP).strip() == "0"


@pytest.mark.parametrize(
    "made", ["DialogueVectorEnv(shop, num_envs=2, user=ShopUser())", "DialogueEnv(shop, user=ShopUser())"]
)
def test_a_process_that_closes_nothing_ends(made: str) -> None:
    assert run(f"env = {made}\nenv.reset(seed=0)\nprint('end')").strip() == "end"


AFTER_CLOSE = """
from mua_env.episode.session import Session
class Closer(ShopUser):
    def start(self, task, *, seed, context=None):
        line = super().start(task, seed=seed, context=context)
        reply = line.reply
        def closing(text):
            if text is not None:
                session.close()
            return reply(text)
        line.reply = closing
        return line
setting = load_setting(shop, "train")
session = Session(setting, Closer())
session.start(setting.tasks[1])
session.send(cancel(1))
try:
    print(session.send("It is done."))
except EpisodeError as error:
    print(error)
print(session.score)
print(session.start(setting.tasks[1]).messages[0].role)
"""


def test_a_session_that_is_closed_while_its_user_thinks_gives_no_score() -> None:
    assert run(AFTER_CLOSE).splitlines() == ["the environment is closed", "None", "user"]
