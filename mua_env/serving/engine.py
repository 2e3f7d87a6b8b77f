"""A causal language model that completes chats, in a thread of its own."""

from __future__ import annotations

import hashlib
import os
import queue
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from mua_env.errors import ConfigError, MuaError, missing_extra

try:
    import torch

    from mua_env.serving.sampling import Sampling, SeededDecoder
    from mua_env.training.chat import ChatTokens
    from mua_env.training.models import load
except ImportError as error:
    if isinstance(error, MuaError):
        raise
    raise missing_extra("train", needed_by="a local model") from error

ChatMessages = Sequence[dict[str, Any]]
"""OpenAI chat form: ``{"role": ..., "content": ...}``."""


class TooLong(ConfigError):
    """A chat with its reply is longer than the model's positions."""


@dataclass(frozen=True)
class Reply:
    """What the model wrote. ``finish_reason`` is ``length`` where the token limit cut it."""

    text: str
    finish_reason: Literal["stop", "length"]
    prompt_tokens: int
    completion_tokens: int


@dataclass
class _Job:
    ids: list[int]
    sampling: Sampling
    future: Future[Reply]


class LocalModel:
    """Completes chats for many callers; requests wait in one queue.

    Args:
        folder: a folder (or hub id) with a model, its tokenizer and its chat template.
        dtype: of the weights (default ``float32``).
        batch: chats that are completed at the same time. With 1 (default) a reply hangs on nothing but its request;
            with more, sums are rounded differently in a different company, so that a near tie may fall otherwise.
        template_options: further arguments of the chat template, as ``{"enable_thinking": False}``.

    Raises:
        ConfigError: there is no such model, or its tokenizer cannot serve.
        MissingExtra: the [train] extra is not installed.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        dtype: str = "float32",
        batch: int = 1,
        template_options: dict[str, Any] | None = None,
    ) -> None:
        if batch < 1:
            raise ConfigError(f"batch: at least 1, got {batch}")
        self.folder = os.fspath(folder)
        self._model, tokenizer = load(self.folder, dtype=dtype)
        self._model.train(False)
        self._chat = ChatTokens(tokenizer, template_options)
        self._batch = batch
        self._positions = getattr(self._model.config, "max_position_embeddings", None)
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._closed = False
        self._tokenizing = threading.Lock()  # fast tokenizers refuse a second thread
        self._thread = threading.Thread(target=self._work, name="mua-env-local-model", daemon=True)
        self._thread.start()

    @property
    def name(self) -> str:
        """The folder's own name."""
        return Path(self.folder).name

    def submit(self, messages: ChatMessages, sampling: Sampling | None = None) -> Future[Reply]:
        """Queue a chat; a future that is cancelled before its turn costs nothing.

        Raises:
            TooLong: prompt and reply do not fit into the model's positions.
            ConfigError: a message has no role or no text, or the engine is closed.
        """
        sampling = sampling or Sampling()
        ids = self._encode(messages)
        if self._positions is not None and len(ids) + sampling.max_tokens > self._positions:
            raise TooLong(
                f"the chat has {len(ids)} tokens and the reply up to {sampling.max_tokens}; "
                f"{self.name} has {self._positions} positions"
            )
        if self._closed:
            raise ConfigError(f"the engine of {self.name} is closed")
        future: Future[Reply] = Future()
        self._jobs.put(_Job(ids, sampling, future))
        return future

    def complete(self, messages: ChatMessages, sampling: Sampling | None = None) -> Reply:
        """`submit`, and wait."""
        return self.submit(messages, sampling).result()

    def fingerprint(self) -> str:
        """The model's content in 12 hex digits: configuration, tokenizer and weights of its folder.

        Of a hub id, the id itself: what lies behind it is not here.
        """
        path, digest = Path(self.folder), hashlib.sha256()
        if not path.is_dir():
            return hashlib.sha256(self.folder.encode()).hexdigest()[:12]
        kept = {".json", ".jinja", ".safetensors"}
        for file in sorted(entry for entry in path.iterdir() if entry.suffix in kept):
            digest.update(file.name.encode())
            with file.open("rb") as content:
                digest.update(hashlib.file_digest(content, "sha256").digest())
        return digest.hexdigest()[:12]

    def close(self) -> None:
        """End the thread after what is queued. May be called again."""
        if not self._closed:
            self._closed = True
            self._jobs.put(None)
            self._thread.join()

    def _encode(self, messages: ChatMessages) -> list[int]:
        for message in messages:
            if not isinstance(message.get("role"), str) or not isinstance(message.get("content"), str):
                raise ConfigError(f"a message needs a role and a text as content, got {message!r:.200}")
        if not messages:
            raise ConfigError("a chat needs at least one message")
        with self._tokenizing:
            return self._chat.whole(messages)

    def _work(self) -> None:
        while (first := self._jobs.get()) is not None:
            jobs, last = self._gather(first)
            running = [job for job in jobs if job.future.set_running_or_notify_cancel()]
            if running:
                self._run(running)
            if last:
                return

    def _gather(self, first: _Job) -> tuple[list[_Job], bool]:
        jobs = [first]
        while len(jobs) < self._batch:
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                break
            if job is None:
                return jobs, True
            jobs.append(job)
        return jobs, False

    def _run(self, jobs: Sequence[_Job]) -> None:
        try:
            decoder = SeededDecoder(self._model, self._chat, [job.sampling for job in jobs])
            turns = decoder.sample(
                {row: job.ids for row, job in enumerate(jobs)},
                {row: job.sampling.max_tokens for row, job in enumerate(jobs)},
            )
        except (RuntimeError, torch.OutOfMemoryError) as error:  # the caller's to see; the thread goes on
            for job in jobs:
                job.future.set_exception(error)
            return
        for row, job in enumerate(jobs):
            job.future.set_result(self._reply(job, turns[row].ids))

    def _reply(self, job: _Job, ids: list[int]) -> Reply:
        ended = ids[-1] == self._chat.end_id
        text = self._chat.decode(ids[:-1] if ended else ids)
        return Reply(text, "stop" if ended else "length", len(job.ids), len(ids))
