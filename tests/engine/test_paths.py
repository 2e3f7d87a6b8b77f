"""Files are written whole or not at all, and what cannot be written is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from mua_env.core.paths import write_whole
from mua_env.errors import WriteError
from mua_env.evaluation.reports.pages import write_page

FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full here")
def test_a_full_disk_names_the_file() -> None:
    with pytest.raises(WriteError, match=r"/dev/full could not be written \(No space left on device\)"):
        write_whole(FULL, "text")


def test_what_was_there_is_as_it_was_when_writing_fails(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    write_page(file, "first", force=True)
    told: list[Path] = []
    with pytest.raises(UnicodeEncodeError):  # fails amid the text, as a full disk does
        write_page(file, "second \ud800", force=True, on_replace=told.append)
    assert file.read_text() == "first"
    assert (told, list(tmp_path.iterdir())) == ([], [file])


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    file, link = tmp_path / "real" / "file", tmp_path / "link"
    write_whole(file, "one")
    link.symlink_to(file)
    write_whole(link, "two")
    assert link.is_symlink()
    assert file.read_text() == "two"
