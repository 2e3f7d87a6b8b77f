"""Sampling for many dialogues whose turns come and go: the batcher and its engine over a cache."""

import asyncio
import random
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
import torch

from mua_env.errors import ConfigError
from mua_env.inference.backends.base import TurnRequest
from mua_env.inference.backends.batching import Batcher
from mua_env.inference.backends.cache_engine import CacheEngine
from mua_env.inference.sampling import SampledTurn
from mua_env.training.config.train import LengthConfig
from mua_env.training.data.token_trajectory import TokenTrajectory
from mua_env.training.rollout.driver import Dialogue, RolloutDriver
from mua_env.training.rollout.pool import DialoguePool
from mua_env.users.base import UserReply, UserSession

from .conftest import Toy
from .toy_domain import ToyUser


def _engine(toy: Toy, temperature: float = 1.0, rows: int = 12, seed: int = 100) -> tuple[CacheEngine, Any]:
    model = toy.model().eval()
    engine = CacheEngine(model, end_id=toy.chat.end_id, pad_id=0)
    engine.begin(temperature=temperature, seeds=range(seed, seed + rows))
    return engine, model


def _requests(prompts: Mapping[int, Sequence[int]], budget: int = 25) -> list[TurnRequest]:
    return [TurnRequest(row, ids, budget) for row, ids in prompts.items()]


@pytest.mark.parametrize(("temperature", "shared"), [(1.0, 30), (0.7, 0), (0.0, 30)])
def test_turns_that_join_and_leave_are_those_of_one_full_pass(toy: Toy, temperature: float, shared: int) -> None:
    _check_against_full_passes(*_engine(toy, temperature), temperature=temperature, shared=shared)


@pytest.mark.parametrize("family", ["Mistral", "Qwen2"])
def test_attention_that_slides_in_all_or_some_layers(family: str) -> None:
    import transformers

    torch.manual_seed(0)
    shape = {"vocab_size": 300, "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 4}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2, "initializer_range": 0.2, "sliding_window": 12}
    some = {"use_sliding_window": True, "max_window_layers": 2} if family == "Qwen2" else {}
    config = getattr(transformers, f"{family}Config")(**shape, **heads, **some)
    model = getattr(transformers, f"{family}ForCausalLM")(config).eval()
    engine = CacheEngine(model, end_id=299, pad_id=0)
    engine.begin(temperature=1.0, seeds=range(12))
    _check_against_full_passes(engine, model, temperature=1.0, shared=30)


def test_layers_that_are_no_attention_are_refused() -> None:
    from transformers import Qwen3NextConfig, Qwen3NextForCausalLM

    config = Qwen3NextConfig(vocab_size=30, hidden_size=16, intermediate_size=16, num_hidden_layers=4, num_experts=0)
    model: Any = Qwen3NextForCausalLM(config)
    with pytest.raises(ConfigError, match="Qwen3NextForCausalLM has layers whose state is not keys and values"):
        CacheEngine(model, end_id=2, pad_id=0)


def _check_against_full_passes(engine: CacheEngine, model: Any, *, temperature: float, shared: int) -> None:
    """Rows open late, wait and return at different steps, and one is given up; every log-probability is that of a
    fresh full pass."""
    rng = random.Random(3)
    words = range(8, 299)
    prefix = rng.choices(words, k=shared)
    sequences = {row: prefix + rng.choices(words, k=rng.randrange(1, 9)) for row in range(12)}
    feeds, turns, under_way = dict(sequences), dict.fromkeys(sequences, 0), set[int]()
    sampled: list[tuple[int, int, float]] = []
    while min(turns.values()) < 4 or under_way:
        due = [row for row in feeds if row not in under_way and turns[row] < 4 and rng.random() < 0.2]
        under_way.update(due)
        requests = [TurnRequest(row, feeds[row], rng.randrange(1, 30)) for row in due]
        for row, turn in engine.step(requests).items():
            start = len(sequences[row])
            sampled += [(row, start + place, value) for place, value in enumerate(turn.logprobs)]
            feeds[row] = rng.choices(words, k=rng.randrange(1, 25))
            sequences[row] = sequences[row] + turn.ids + feeds[row]
            turns[row] += 1
            under_way.discard(row)
            if row == 3 and turns[row] == 2:
                engine.drop([row])
                turns[row] = 4
    logprobs = {
        row: torch.log_softmax(model(torch.tensor([ids])).logits[0].detach() / (temperature or 1.0), -1)
        for row, ids in sequences.items()
    }
    gaps = [abs(value - float(logprobs[row][at - 1, sequences[row][at]])) for row, at, value in sampled]
    assert len(sampled) > 300
    assert max(gaps) < 1e-4
    if temperature == 0:
        assert all(int(logprobs[row][at - 1].argmax()) == sequences[row][at] for row, at, _ in sampled)


def test_history_is_read_once_and_a_common_beginning_once_for_all(toy: Toy) -> None:
    engine, _ = _engine(toy)
    prompts = [trajectory.prompt_ids for trajectory in toy.encode()[:8]]
    requests = [TurnRequest(row, ids, 10) for row, ids in enumerate(prompts)]
    for _ in range(3):
        ended = dict(engine.step(requests))
        while len(ended) < 8:
            ended.update(engine.step([]))
        requests = [TurnRequest(row, [9, 10], 10) for row in range(8)]
    alone = 3 * 8  # the last token of each turn is read with what follows it
    assert engine.stats.read < sum(map(len, prompts)) + 2 * 2 * 8 + alone
    late, before = TurnRequest(9, prompts[0], 1), engine.stats.read
    engine.step([late])
    assert engine.stats.read - before < len(prompts[0]) / 2


def test_computing_in_bfloat16(toy: Toy) -> None:
    """The log-probabilities are those of a full pass in bfloat16 but for its rounding, and not those of the weights."""
    ids, model = toy.encode()[0].prompt_ids, toy.model().eval()
    engine = CacheEngine(model, end_id=toy.chat.end_id, pad_id=0, autocast=True)
    engine.begin(temperature=1.0, seeds=[3])
    turn = engine.sample(_requests({0: ids}))[0]
    whole = torch.tensor([[*ids, *turn.ids]])
    found = []
    for enabled in (True, False):
        with torch.no_grad(), torch.autocast("cpu", torch.bfloat16, enabled=enabled):
            logprobs = torch.log_softmax(model(whole).logits[0].float(), -1)[len(ids) - 1 : -1]
        found.append(logprobs.gather(1, torch.tensor(turn.ids)[:, None])[:, 0] - torch.tensor(turn.logprobs))
    assert found[0].abs().max() < 0.1
    assert found[1].abs().max() > 1e-4
    assert {parameter.dtype for parameter in model.parameters()} == {torch.float32}


def test_budgets_ends_and_seeds(toy: Toy) -> None:
    prompts = [trajectory.prompt_ids for trajectory in toy.encode()[:4]]
    asked = [
        TurnRequest(row, ids, budget) for row, (ids, budget) in enumerate(zip(prompts, (1, 2, 40, 40), strict=True))
    ]
    first, second = (_engine(toy, seed=500)[0].sample(asked) for _ in range(2))
    assert first == second
    assert len(first[0].ids) == 1
    assert len(first[1].ids) <= 2
    for turn in first.values():
        assert toy.chat.end_id not in turn.ids[:-1]
    assert first[2].ids[-1] == toy.chat.end_id
    assert _engine(toy, seed=600)[0].sample(asked) != first


def test_a_row_samples_the_same_whatever_stands_beside_it(toy: Toy) -> None:
    prompts = {row: trajectory.prompt_ids for row, trajectory in enumerate(toy.encode()[:6])}
    together = _engine(toy)[0].sample(_requests(prompts))
    for some in ((4,), (5, 1, 2)):
        apart = _engine(toy)[0].sample(_requests({row: prompts[row] for row in some}))
        assert {row: turn.ids for row, turn in apart.items()} == {row: together[row].ids for row in some}


def test_a_row_that_was_dropped_begins_anew(toy: Toy) -> None:
    engine, _ = _engine(toy)
    prompts = {0: toy.encode()[0].prompt_ids}
    turns = []
    for _ in range(2):
        turns.append(engine.sample(_requests(prompts)))
        engine.drop([0])
    assert turns[0] == turns[1]


def test_a_row_goes_on_from_what_another_has_read(toy: Toy) -> None:
    """What is read in pieces, kept and taken up is what is read at once; the keeper's state stays as it was."""
    ids = toy.encode()[0].ids
    engine, _ = _engine(toy, temperature=0.0)
    whole = engine.sample(_requests({0: ids}))[0]
    engine.open(1)
    engine.read(1, ids[:20])
    engine.read(1, ids[20:-5])
    kept = engine.state(1)
    before = [(keys.clone(), values.clone()) for keys, values in kept]
    read = engine.stats.read
    for row in (2, 3):
        engine.open(row, kept)
        turn = engine.sample(_requests({row: ids[-5:]}))[row]
        assert turn.ids == whole.ids
        assert turn.logprobs == pytest.approx(whole.logprobs, abs=1e-4)
    assert engine.stats.read == read + 2 * 5
    assert all(
        torch.equal(a, b) for one, other in zip(kept, before, strict=True) for a, b in zip(one, other, strict=True)
    )


class _WaitsForAll(ToyUser):
    """The first dialogue's user answers when all other dialogues have ended."""

    def __init__(self) -> None:
        super().__init__()
        self.others = asyncio.Event()

    def start(self, *args: Any, **kwargs: Any) -> UserSession:
        session = super().start(*args, **kwargs)
        plain, slow = session.reply, self.started == 1

        async def areply(agent_text: str | None) -> UserReply:
            if slow and agent_text is not None:
                await asyncio.wait_for(self.others.wait(), 60)
            return plain(agent_text)

        session.areply = areply  # type: ignore[method-assign]
        return session


def test_a_slow_user_keeps_no_other_dialogue_waiting(toy: Toy) -> None:
    user, ended = _WaitsForAll(), list[int]()
    pool = DialoguePool(toy.setting, user, max_turns=8)
    driver = RolloutDriver(toy.chat, lengths=LengthConfig(total=400, turn=40), tools="compact")

    def on_end(row: int, dialogue: Dialogue, trajectory: TokenTrajectory) -> None:
        ended.append(row)
        if len(ended) == 11:
            user.others.set()

    driver.on_end = on_end
    tasks = [toy.setting.tasks[number] for number in range(12)]
    trajectories = driver.run(toy.model(), pool.dialogues(tasks, range(12)), seeds=range(12))
    driver.close()
    pool.close()
    assert ended[-1] == 0
    assert sorted(ended) == list(range(12))
    assert all(trajectory.reward is not None for trajectory in trajectories)


class _Says(CacheEngine):
    """Says the same in every turn, as a model that has collapsed does."""

    says: list[int]

    def step(self, requests: Sequence[TurnRequest]) -> Mapping[int, SampledTurn]:
        said = {each.row: self.says[: each.budget] for each in requests}
        return {row: SampledTurn(ids, [0.0] * len(ids)) for row, ids in said.items()}


def test_empty_turns_are_turns(toy: Toy) -> None:
    """A model that ends each turn at once: no text, no call; the dialogue runs to its limit and counts."""
    engine = _Says(toy.model().eval(), end_id=toy.chat.end_id, pad_id=0)
    engine.says = [toy.chat.end_id]
    pool = DialoguePool(toy.setting, ToyUser(), max_turns=5)
    driver = RolloutDriver(toy.chat, lengths=LengthConfig(total=400, turn=40), tools="compact")
    dialogues = pool.dialogues([toy.setting.tasks[1]] * 3, range(3))
    trajectories = asyncio.run(driver.hold(Batcher(engine), dialogues, seeds=range(3)))
    for trajectory in trajectories:
        assert (trajectory.turns, trajectory.ended_by, trajectory.reward) == (5, "max_turns", 0.0)
        assert sum(trajectory.mask) == 5
    pool.close()


def _say(toy: Toy, text: str, *, ended: bool, turn: int) -> TokenTrajectory:
    """A dialogue whose agent says the same text in each turn, with or without its end-of-turn token."""
    engine = _Says(toy.model().eval(), end_id=toy.chat.end_id, pad_id=0)
    engine.says = toy.chat.tokenizer(text, add_special_tokens=False)["input_ids"] + [toy.chat.end_id] * ended
    pool = DialoguePool(toy.setting, ToyUser(), max_turns=3)
    driver = RolloutDriver(toy.chat, lengths=LengthConfig(total=600, turn=turn), tools="compact")
    dialogues = pool.dialogues([toy.setting.tasks[1]], [0])
    (trajectory,) = asyncio.run(driver.hold(Batcher(engine), dialogues, seeds=[0]))
    pool.close()
    return trajectory


HALF = '<tool_call>\n{"name": "get_order", "arguments": {"order_id": "#W1'


def test_a_call_cut_in_half_is_answered_with_an_error(toy: Toy) -> None:
    """The agent ended its turn amid the call: what it wrote is trained on as it is, and a tool message answers it."""
    trajectory = _say(toy, HALF, ended=True, turn=80)
    assert (trajectory.turns, trajectory.tool_calls, trajectory.ended_by) == (3, 3, "max_turns")
    assert trajectory.reward == 0
    said = [(s.source, toy.chat.decode(trajectory.ids[s.start : s.end])) for s in trajectory.spans]
    assert [text for source, text in said if source == "agent"] == [HALF + toy.chat.end_token] * 3
    answers = [text for source, text in said if source == "tool"]
    assert len(answers) == 2
    assert all(answer.startswith("Error") and "get_order" in answer for answer in answers)
    assert trajectory.info["calls"] == {"get_order": 3}
    assert trajectory.info["refused"] == 3


def test_a_call_cut_by_the_limit_ends_the_dialogue(toy: Toy) -> None:
    """Nothing follows the last token that was sampled, and the call never reaches a tool."""
    trajectory = _say(toy, HALF, ended=False, turn=20)
    assert (trajectory.turns, trajectory.tool_calls, trajectory.ended_by) == (1, 0, "token_limit")
    assert trajectory.reward == 0
    assert trajectory.mask == [1] * 20
    assert HALF.startswith(toy.chat.decode(trajectory.completion_ids))
    assert trajectory.info["calls"] == {}


def test_an_engine_that_breaks_ends_the_batch(toy: Toy) -> None:
    class Broken(CacheEngine):
        def step(self, requests: Sequence[TurnRequest]) -> Mapping[int, SampledTurn]:
            raise RuntimeError("out of memory")

    pool = DialoguePool(toy.setting, ToyUser())
    driver = RolloutDriver(toy.chat, lengths=LengthConfig(total=400, turn=40), tools="compact")
    backend = Batcher(Broken(toy.model(), end_id=toy.chat.end_id, pad_id=0))
    with pytest.raises(RuntimeError, match="out of memory"):
        asyncio.run(driver.hold(backend, pool.dialogues([toy.setting.tasks[0]] * 4, range(4)), seeds=range(4)))
    pool.close()


def test_wrong_requests_are_refused(toy: Toy) -> None:
    engine, _ = _engine(toy)
    backend = Batcher(engine)

    async def ask(ids: list[int], budget: int) -> None:
        await backend.sample(0, ids, budget)

    for ids, budget in (([], 1), ([9], 0)):
        with pytest.raises(ConfigError, match="row 0 needs at least one new token and a budget"):
            asyncio.run(ask(ids, budget))
    with pytest.raises(ConfigError, match="temperature must be 0 or more, got -1"):
        engine.begin(temperature=-1, seeds=())
