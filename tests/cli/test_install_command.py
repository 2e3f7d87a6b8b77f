"""The command that a missing extra is answered with works for how the package came here."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mua_env.installed import install_command

ROOT = Path(__file__).resolve().parents[2]
METADATA = """Metadata-Version: 2.4
Name: mua-env
Version: 0.1.0
Provides-Extra: llm
Requires-Dist: numpy>=1.26
Requires-Dist: litellm>=1.80; extra == "llm"
Requires-Dist: tenacity>=9; extra == 'llm'
Requires-Dist: torch>=2.8; extra == "train"
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder of installed packages, with this one in it as a wheel lays it down."""
    folder = tmp_path / "site"
    (folder / "mua_env").mkdir(parents=True)
    for name in ("installed.py", "errors.py"):
        shutil.copy(ROOT / "mua_env" / name, folder / "mua_env" / name)
    (folder / "mua_env" / "__init__.py").touch()
    metadata = folder / "mua_env-0.1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(METADATA)
    return folder


def asked(site: Path, origin: dict[str, Any] | str | None, extra: str = "llm") -> list[str]:
    if origin is not None:
        text = origin if isinstance(origin, str) else json.dumps(origin)
        (site / "mua_env-0.1.0.dist-info" / "direct_url.json").write_text(text)
    code = f"import sys; sys.path.insert(0, {str(site)!r}); from mua_env.errors import missing_extra; "
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code + f"print(missing_extra({extra!r}))"],
        capture_output=True,
        text=True,
        check=True,
    )
    return shlex.split(done.stdout.partition(f"[{extra}]: ")[2])


def test_from_a_checkout_it_names_the_checkout() -> None:
    assert shlex.split(install_command("llm")) == ["pip", "install", "-e", f"{ROOT}[llm]"]


def test_the_command_of_a_checkout_is_one_that_pip_takes() -> None:
    pytest.importorskip("setuptools")
    words = shlex.split(install_command("viewer"))
    offline = ["--dry-run", "--no-deps", "--no-build-isolation", "--no-index", "--quiet"]
    done = subprocess.run([sys.executable, "-m", *words, *offline], capture_output=True, text=True, check=False)
    if "No module named pip" in done.stderr:
        pytest.skip("there is no pip in this environment")
    assert done.returncode == 0, done.stderr


def test_without_an_origin_it_names_the_packages_of_the_extra(site: Path) -> None:
    assert asked(site, None) == ["pip", "install", "litellm>=1.80", "tenacity>=9"]
    assert asked(site, None, "train") == ["pip", "install", "torch>=2.8"]


@pytest.mark.parametrize("broken", ["", "{", "[]", "{}", '{"url": 3}'])
def test_a_broken_origin_is_none(site: Path, broken: str) -> None:
    assert asked(site, broken) == ["pip", "install", "litellm>=1.80", "tenacity>=9"]


@pytest.mark.parametrize(("editable", "flag"), [(True, ["-e"]), (False, [])])
def test_a_folder_is_named(site: Path, tmp_path: Path, editable: bool, flag: list[str]) -> None:
    place = tmp_path / "my check out"
    origin = {"url": place.as_uri(), "dir_info": {"editable": editable}}
    assert asked(site, origin) == ["pip", "install", "litellm>=1.80", "tenacity>=9"]  # it is gone
    place.mkdir()
    (place / "pyproject.toml").touch()
    assert asked(site, origin) == ["pip", "install", *flag, f"{place}[llm]"]


def test_a_wheel_is_named_while_it_is_there(site: Path, tmp_path: Path) -> None:
    wheel = tmp_path / "mua_env-0.1.0-py3-none-any.whl"
    origin = {"url": wheel.as_uri(), "archive_info": {}}
    assert asked(site, origin) == ["pip", "install", "litellm>=1.80", "tenacity>=9"]
    wheel.touch()
    assert asked(site, origin) == ["pip", "install", f"mua-env[llm] @ {wheel.as_uri()}"]


def test_what_came_over_the_network_is_named_by_its_address(site: Path) -> None:
    url = "https://example.org/mua_env-0.1.0-py3-none-any.whl"
    assert asked(site, {"url": url, "archive_info": {}}) == ["pip", "install", f"mua-env[llm] @ {url}"]
    source = {"url": "https://example.org/mua.git", "vcs_info": {"vcs": "git", "commit_id": "abc"}}
    assert asked(site, source) == ["pip", "install", "mua-env[llm] @ git+https://example.org/mua.git@abc"]
