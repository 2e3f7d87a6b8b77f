"""A PostgreSQL server for tests: from the package ``pgserver``, else the programs of the system."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

FAST = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=200")


@contextmanager
def running_server() -> Iterator[str]:
    """A fresh server on a Unix socket; gives the URL of its superuser."""
    folder = Path(tempfile.mkdtemp(prefix="muapg", dir="/tmp"))
    folder.chmod(0o755)
    try:
        programs = _packaged() or _installed()
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
    # PostgreSQL refuses to run as root.
    other = {"user": "nobody", "group": "nogroup", "extra_groups": []} if os.geteuid() == 0 else {}
    if other:
        shutil.chown(data, "nobody", "nogroup")
        shutil.chown(sockets, "nobody", "nogroup")

    def run(program: str, *arguments: str) -> None:
        log = folder / f"{program}.log"
        with log.open("w") as file:
            done = subprocess.run(
                [str(programs / program), *arguments], stdout=file, stderr=file, cwd="/", check=False, **other
            )
        assert done.returncode == 0, log.read_text()

    run("initdb", "-D", str(data), "-U", "postgres", "--auth=trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
    options = " ".join([f"-k {sockets} -h ''", *(f"-c {setting}" for setting in FAST)])
    run("pg_ctl", "-D", str(data), "-l", str(data / "server.log"), "-o", options, "-w", "start")
    try:
        yield f"postgresql+psycopg://postgres@/postgres?host={sockets}"
    finally:
        run("pg_ctl", "-D", str(data), "-m", "immediate", "-w", "stop")


def _packaged() -> Path | None:
    try:
        import pgserver
    except ImportError:
        return None
    return Path(pgserver.__file__).parent / "pginstall" / "bin"


def _installed() -> Path | None:
    places = [Path("/usr/local/bin"), *sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)]
    found = shutil.which("initdb")
    for place in [*([Path(found).parent] if found else []), *places]:
        if (place / "initdb").exists() and (place / "pg_ctl").exists():
            return place
    return None
