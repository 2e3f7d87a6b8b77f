import asyncio

import pytest
import torch

from mua_env.errors import ConfigError, UserFault
from mua_env.training.config.train import LengthConfig
from mua_env.training.data.token_trajectory import TokenTrajectory
from mua_env.training.rollout.driver import RolloutDriver
from mua_env.training.rollout.pool import DialoguePool
from mua_env.users.base import UserReply, UserSession

from .conftest import Toy
from .toy_domain import ToyUser


def _roll(
    toy: Toy, *, user: ToyUser | None = None, lengths: LengthConfig | None = None, count: int = 24, turns: int = 8
) -> tuple[list[TokenTrajectory], DialoguePool, RolloutDriver]:
    pool = DialoguePool(toy.setting, user or ToyUser(), max_turns=turns)
    driver = RolloutDriver(toy.chat, lengths=lengths or LengthConfig(total=400, turn=40), tools="compact")
    tasks = [toy.setting.tasks[number % 40] for number in range(count)]
    out = driver.run(toy.model(), pool.dialogues(tasks, range(count)), seeds=range(100, 100 + count))
    driver.close()
    return out, pool, driver


def _independent_mask(trajectory: TokenTrajectory, toy: Toy) -> list[int]:
    """From the ids alone: the agent speaks until an end-of-turn token, then not until the next header."""
    header = toy.chat.tokenizer("<|im_start|>assistant\n", add_special_tokens=False)["input_ids"]
    mask, speaking = [], True
    for place, token in enumerate(trajectory.completion_ids):
        mask.append(int(speaking))
        if speaking:
            speaking = token != toy.chat.end_id
        else:
            speaking = trajectory.completion_ids[: place + 1][-len(header) :] == header
    return mask


def test_masks_are_those_of_an_independent_recomputation(toy: Toy) -> None:
    trajectories, pool, driver = _roll(toy)
    for trajectory in trajectories:
        trajectory.check()
        assert trajectory.mask == _independent_mask(trajectory, toy)
        assert trajectory.reward in (0.0, 1.0)
    assert max(t.turns for t in trajectories) > 1
    assert any(0 in t.mask for t in trajectories)
    assert driver.stats.sampled == sum(sum(t.mask) for t in trajectories)
    pool.close()


def test_sampled_log_probabilities_are_those_of_the_model(toy: Toy) -> None:
    trajectories, _, _ = _roll(toy)
    model = toy.model().eval()
    for trajectory in trajectories:
        with torch.no_grad():
            logits = model(torch.tensor([trajectory.ids])).logits[0]
        start = len(trajectory.prompt_ids)
        picked = torch.log_softmax(logits, -1)[start - 1 : -1]
        values = picked.gather(1, torch.tensor(trajectory.completion_ids)[:, None])[:, 0]
        sampled = torch.tensor(trajectory.mask).bool()
        assert (values - torch.tensor(trajectory.logprobs))[sampled].abs().max() < 1e-4


def test_the_same_seed_gives_the_same_dialogues(toy: Toy) -> None:
    assert _roll(toy)[0] == _roll(toy)[0]


def test_the_prompt_is_what_the_session_gave(toy: Toy) -> None:
    trajectories, _, _ = _roll(toy, count=2)
    text = toy.chat.decode(trajectories[0].prompt_ids)
    assert text.startswith("<|im_start|>system\nAsk for the order id")
    assert "cancel_order(order_id)" in text
    assert text.endswith("<|im_start|>assistant\n")
    assert toy.setting.tasks[0].instruction not in text


def test_limits_end_a_dialogue_truncated(toy: Toy) -> None:
    short, _, _ = _roll(toy, lengths=LengthConfig(total=400, turn=2))
    assert {t.ended_by for t in short} == {"token_limit"}
    assert all(t.reward == 0 and t.truncated and sum(t.mask) <= 2 * t.turns for t in short)
    longest = max(len(t.prompt_ids) for t in short)
    tight, _, _ = _roll(toy, lengths=LengthConfig(total=longest + 30, turn=40))
    assert "token_limit" in {t.ended_by for t in tight}
    assert all(len(t) <= longest + 30 for t in tight)
    few, _, _ = _roll(toy, turns=1)
    assert {"max_turns"} <= {t.ended_by for t in few}
    with pytest.raises(ConfigError, match="the prompt has"):
        _roll(toy, lengths=LengthConfig(total=20))


@pytest.mark.parametrize("fault", [UserFault("timed out"), RuntimeError("connection lost")])
def test_a_failing_user_stops_only_its_own_dialogue(toy: Toy, fault: Exception) -> None:
    trajectories, _, _ = _roll(toy, user=ToyUser(fault_every=3, fault=fault))
    failed = [t for t in trajectories if t.ended_by == "fault"]
    assert failed
    assert all(t.reward is None and str(fault) in str(t.cause) for t in failed)
    assert all(t.reward is not None for t in trajectories if t not in failed)


class _SilentUser(ToyUser):
    def start(self, *args: object, **kwargs: object) -> UserSession:
        session = super().start(*args, **kwargs)  # type: ignore[arg-type]
        session.reply = _raise  # type: ignore[method-assign]
        return session


def _raise(text: str | None) -> UserReply:
    raise UserFault("no opening")


def test_a_user_that_never_opens_leaves_masked_tokens(toy: Toy) -> None:
    trajectories, _, _ = _roll(toy, user=_SilentUser(), count=2)
    for trajectory in trajectories:
        assert trajectory.reward is None
        assert trajectory.completion_ids
        assert sum(trajectory.mask) == 0


class _SlowUser(ToyUser):
    """Each reply takes a while; replies that are awaited together take no longer than one."""

    waiting = most = 0

    def start(self, *args: object, **kwargs: object) -> UserSession:
        session = super().start(*args, **kwargs)  # type: ignore[arg-type]
        plain = session.reply

        async def areply(text: str | None) -> UserReply:
            self.waiting += 1
            self.most = max(self.most, self.waiting)
            await asyncio.sleep(0.01)
            self.waiting -= 1
            return plain(text)

        session.areply = areply  # type: ignore[method-assign]
        return session


def test_users_are_awaited_together(toy: Toy) -> None:
    user = _SlowUser()
    trajectories, _, _ = _roll(toy, user=user, count=16)
    assert user.most == 16
    # In another company sums are rounded otherwise, which only log-probabilities show.
    assert [t.ids for t in trajectories] == [t.ids for t in _roll(toy, count=16)[0]]
