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

from mua_env.core.thoughts import spoken
from mua_env.errors import ConfigError, MuaError, missing_extra

# Threads that spin while they wait slow small models down where cores are shared; it counts if torch comes later.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

try:
    import torch

    from mua_env.inference.agent_view import read_view
    from mua_env.inference.backends.base import TurnRequest
    from mua_env.inference.backends.cache_engine import CacheEngine
    from mua_env.inference.backends.states import prefix_state
    from mua_env.inference.chat_tokens import ChatTokens
    from mua_env.inference.models import load
    from mua_env.inference.sampling import DecoderStats
    from mua_env.inference.serving.decoding import ChatSampler, Sampling
    from mua_env.inference.serving.dialogue_states import ChatMessages, Memory, split_turns
except ImportError as error:
    if isinstance(error, MuaError):
        raise
    raise missing_extra("train", needed_by="a local model") from error


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
    chunks: list[list[int]]
    sampling: Sampling
    future: Future[Reply]
    begin: str = ""

    @property
    def ids(self) -> list[int]:
        return [token for chunk in self.chunks for token in chunk]


class LocalModel:
    """Completes chats for many callers; requests wait in one queue.

    Args:
        folder: a folder (or hub id) with a model, its tokenizer and its chat template.
        dtype: of the weights (default ``float32``).
        batch: chats that are completed at the same time. With 1 (default) a reply hangs on nothing but its request,
            and a dialogue that goes on is not read again from its beginning; with more, sums are rounded differently
            in a different company, so that a near tie may fall otherwise.
        remembered: dialogues whose keys and values are kept for that (default 16; 18 MB each for SmolLM2-135M and
            400 tokens).
        template_options: further arguments of the chat template, as ``{"enable_thinking": False}``; None for those that
            the folder's `agent_view.json` holds, if there is one.

    Attributes:
        work: tokens read and sampled, and forward passes, so far.

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
        remembered: int = 16,
        template_options: dict[str, Any] | None = None,
    ) -> None:
        if batch < 1:
            raise ConfigError(f"batch: at least 1, got {batch}")
        self.folder = os.fspath(folder)
        self._model, tokenizer = load(self.folder, dtype=dtype)
        self._model.train(False)
        given = read_view(self.folder).template_options if template_options is None else template_options
        self._chat = ChatTokens(tokenizer, given, tools=False)
        self._engine = CacheEngine(self._model, end_id=self._chat.end_ids, pad_id=self._chat.pad_id)
        self.work = DecoderStats()
        self._batch, self._memory = batch, Memory(remembered)
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

    def submit(self, messages: ChatMessages, sampling: Sampling | None = None, *, begin: str = "") -> Future[Reply]:
        """Queue a chat; a future that is cancelled before its turn costs nothing.

        Args:
            messages: the chat.
            sampling: of the reply.
            begin: what the reply shall begin with; the model goes on from there.

        Raises:
            TooLong: prompt and reply do not fit into the model's positions.
            ConfigError: a message has no role or no text, or the engine is closed.
        """
        sampling = sampling or Sampling()
        job = _Job(self._encode(messages), sampling, Future(), begin)
        if begin:
            with self._tokenizing:
                # A reply begins after the thoughts that its header may have opened.
                lead = self._chat.frame.leads["user", False] if self._chat.thinks_after() else ""
                job.chunks[-1] += self._chat.tokenizer(lead + begin, add_special_tokens=False)["input_ids"]
        length = len(job.ids)
        if self._positions is not None and length + sampling.max_tokens > self._positions:
            raise TooLong(
                f"the chat has {length} tokens and the reply up to {sampling.max_tokens}; "
                f"{self.name} has {self._positions} positions"
            )
        if self._closed:
            raise ConfigError(f"the engine of {self.name} is closed")
        self._jobs.put(job)
        return job.future

    def complete(self, messages: ChatMessages, sampling: Sampling | None = None) -> Reply:
        """`submit`, and wait."""
        return self.submit(messages, sampling).result()

    def count_tokens(self, text: str) -> int:
        """The tokens of a text, without a template."""
        with self._tokenizing:
            return len(self._chat.tokenizer(text, add_special_tokens=False)["input_ids"])

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

    def _encode(self, messages: ChatMessages) -> list[list[int]]:
        for message in messages:
            if not isinstance(message.get("role"), str) or not isinstance(message.get("content"), str):
                raise ConfigError(f"a message needs a role and a text as content, got {message!r:.200}")
        if not messages:
            raise ConfigError("a chat needs at least one message")
        with self._tokenizing:
            return split_turns(self._chat, messages)

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
            turns = self._alone(jobs[0]) if self._batch == 1 else self._together(jobs)
        except (RuntimeError, torch.OutOfMemoryError) as error:  # the caller's to see; the thread goes on
            for job in jobs:
                job.future.set_exception(error)
            return
        for job, ids in zip(jobs, turns, strict=True):
            job.future.set_result(self._reply(job, ids))

    def _together(self, jobs: Sequence[_Job]) -> list[list[int]]:
        self._engine.begin_with(ChatSampler([job.sampling for job in jobs], self._model.device))
        turns = self._engine.sample(
            [TurnRequest(row, job.ids, job.sampling.max_tokens) for row, job in enumerate(jobs)]
        )
        self._count()
        return [turns[row].ids for row in range(len(jobs))]

    def _alone(self, job: _Job) -> list[list[int]]:
        """Read what is new, a turn at a time: the same chunks, and so the same sums, whether or not it is all new."""
        self._engine.begin_with(ChatSampler([job.sampling], self._model.device))
        known, state = self._memory.find(job.chunks[:-1])
        self._engine.open(0, state)
        for chunk in job.chunks[known:-1]:
            self._engine.read(0, chunk)
        turn = self._engine.sample([TurnRequest(0, job.chunks[-1], job.sampling.max_tokens)])[0]
        self._memory.keep(job.chunks, prefix_state(self._engine.state(0), len(job.ids)))
        self._count()
        return [turn.ids]

    def _count(self) -> None:
        self.work.add(self._engine.stats)
        self._engine.close()

    def _reply(self, job: _Job, ids: list[int]) -> Reply:
        ended = ids[-1] in self._chat.end_ids
        said = job.begin + self._chat.decode(ids[:-1] if ended else ids)
        text = spoken(said, opened=not job.begin and self._chat.thinks_after())
        return Reply(text, "stop" if ended else "length", len(job.ids), len(ids))
