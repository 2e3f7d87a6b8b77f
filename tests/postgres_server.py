"""A PostgreSQL server for tests: from the package ``pgserver``, else the programs of the system."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

import pytest

OTHER = ("nobody", "nogroup")
FAST = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=200")


@contextmanager
def running_server() -> Iterator[str]:
    """A fresh server on a Unix socket; gives the URL of its superuser."""
    folder = Path(tempfile.mkdtemp(prefix="muapg", dir="/tmp"))
    folder.chmod(0o755)
    try:
        # A folder of root's is no use to the other user that the server runs as.
        usable = (path for path in _programs() if _call([str(path / "initdb"), "--version"], subprocess.DEVNULL) == 0)
        programs = next(usable, None)
        if programs is None:
            pytest.skip("no PostgreSQL: neither the package pgserver nor initdb and pg_ctl are there")
        with _started(programs, folder) as url:
            yield url
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _started(programs: Path, folder: Path) -> Iterator[str]:
    data, sockets = folder / "data", folder / "s"
    for path in (data, sockets):
        path.mkdir(mode=0o700)
        if os.geteuid() == 0:
            shutil.chown(path, *OTHER)

    def run(program: str, *arguments: str) -> None:
        log = folder / f"{program}.log"
        with log.open("w") as file:
            code = _call([str(programs / program), *arguments], file)
        assert code == 0, log.read_text()

    run("initdb", "-D", str(data), "-U", "postgres", "--auth=trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
    options = " ".join([f"-k {sockets} -h ''", *(f"-c {setting}" for setting in FAST)])
    run("pg_ctl", "-D", str(data), "-l", str(data / "server.log"), "-o", options, "-w", "start")
    try:
        yield f"postgresql+psycopg://postgres@/postgres?host={sockets}"
    finally:
        run("pg_ctl", "-D", str(data), "-m", "immediate", "-w", "stop")


def _call(command: list[str], output: IO[str] | int) -> int:
    """Run a program, as another user where this one is root: PostgreSQL refuses to run as root."""
    user, group = OTHER if os.geteuid() == 0 else (None, None)
    try:
        return subprocess.run(
            command, stdout=output, stderr=output, cwd="/", check=False, user=user, group=group
        ).returncode
    except OSError:
        return 126


def _programs() -> Iterator[Path]:
    """Folders that may hold the server's programs, the best first."""
    with suppress(ImportError):
        import pgserver

        yield Path(pgserver.__file__).parent / "pginstall" / "bin"
    found = shutil.which("initdb")
    if found:
        yield Path(found).parent
    yield from sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
