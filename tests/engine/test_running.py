"""Synchronous calls within a running event loop, as a notebook's cell makes them."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from typing import Any

import pytest

from mua_env.agents.make import agent_factory
from mua_env.core.running import in_loop, run_apart, run_coroutine
from mua_env.core.trajectory import Trajectory
from mua_env.episode.setting import load_setting
from mua_env.evaluation.rollouts import plan, rollout, run_rollout
from mua_env.users.agenda.user import AgendaUser


def in_a_cell(work: Callable[[], Any]) -> Any:
    """Call within a running loop."""

    async def cell() -> Any:
        assert in_loop()
        return work()

    return asyncio.run(cell())


def held(run: Callable[..., Any]) -> list[Trajectory]:
    setting = load_setting("retail", "test:level=1")
    ended: list[Trajectory] = []
    make = agent_factory("expert", setting.domain)
    count = run(setting, AgendaUser(), make, plan(setting.tasks, limit=6), on_end=ended.append)
    assert count == 6
    return sorted(ended, key=lambda one: one.id)


def test_a_rollout_is_the_same_in_a_running_loop() -> None:
    alone = held(run_rollout)
    assert in_a_cell(lambda: held(run_rollout)) == alone

    async def awaited(*args: Any, **kwargs: Any) -> int:
        return await rollout(*args, **kwargs)

    assert held(lambda *args, **kwargs: asyncio.run(awaited(*args, **kwargs))) == alone


@pytest.mark.parametrize("where", [in_a_cell, lambda work: work()], ids=["in a loop", "without one"])
def test_values_and_errors_come_back(where: Callable[..., Any]) -> None:
    async def double(number: int) -> int:
        await asyncio.sleep(0)
        if number < 0:
            raise ValueError(f"{number} is below zero")
        return 2 * number

    assert where(lambda: run_coroutine(double(4))) == 8
    assert where(lambda: run_apart(lambda: asyncio.run(double(4)))) == 8
    for call in (lambda: run_coroutine(double(-1)), lambda: run_apart(lambda: asyncio.run(double(-1)))):
        with pytest.raises(ValueError, match="-1 is below zero"):
            where(call)
    assert not [thread for thread in threading.enumerate() if thread.name == "mua-env"]


@pytest.mark.parametrize("work", ["run_coroutine(wait())", "run_apart(spin)"])
def test_an_interruption_reaches_the_work_which_lets_go_of_what_it_holds(work: str) -> None:
    code = f"""
        import asyncio, signal, time
        from mua_env.core.running import run_apart, run_coroutine

        async def wait():
            try:
                await asyncio.sleep(60)
            finally:
                print("let go")

        def spin():
            try:
                while True:
                    time.sleep(0.01)
            except KeyboardInterrupt:
                print("let go")
                raise

        async def cell():
            {work}

        signal.signal(signal.SIGINT, signal.default_int_handler)  # a runner may have it ignored
        signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
        signal.setitimer(signal.ITIMER_REAL, 1)
        loop = asyncio.new_event_loop()
        try:
            loop.run_until_complete(cell())
        except KeyboardInterrupt:
            print("interrupted")
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=50, check=False
    )
    assert done.stdout.split("\n") == ["let go", "interrupted", ""], done.stderr


def test_a_machine_without_fork_holds_dialogues() -> None:
    """As Windows is: no fork, and none of the modules that go with it."""
    code = """
        import os, sys
        import asyncio, gymnasium, jinja2, numpy.random, pydantic, rich.console, sqlalchemy.orm, typer
        del os.fork, os.register_at_fork
        sys.modules.update(dict.fromkeys(("fcntl", "pwd", "grp", "resource", "termios")))
        import mua_env.llm.loop
        import mua_env
        env = gymnasium.make("MUA/Retail-v1", tasks="generate:level=1")
        env.reset(seed=0)
        env.step("Could you tell me your email address?")
        env.close()
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
