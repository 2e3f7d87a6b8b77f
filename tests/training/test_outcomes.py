"""The metrics of the paper's figures, by hand."""

import pytest

from mua_env.errors import RunStopped
from mua_env.training.config.train import LengthConfig
from mua_env.training.rollout.advantages import batch_advantages
from mua_env.training.rollout.driver import RolloutDriver
from mua_env.training.rollout.episode_statistics import Outcome, check_faults, dialogue_metrics
from mua_env.training.rollout.pool import DialoguePool

from .conftest import Toy
from .toy_domain import ToyUser

RIGHT = Outcome(1.0, "user_stop", 4, 2, 100, 60, 30, None, {"get": 1, "cancel": 1}, 0, 3, {"cost_usd": 0.5})
WRONG = Outcome(0.0, "user_stop", 2, 1, 80, 40, 20, None, {"get": 1}, 1, 2, {"cost_usd": 0.25})
LONG = Outcome(0.0, "max_turns", 6, 0, 120, 100, 50, None, {}, 0, 5, {})
CUT = Outcome(0.0, "token_limit", 1, 0, 70, 20, 20, None, {}, 0, 1, {})
FAILED = Outcome(None, "fault", 1, 1, 999, 999, 999, "timed out", {"get": 7}, 3, 9, {"cost_usd": 0.125})
GROUPS = [[RIGHT, WRONG], [RIGHT, RIGHT], [LONG, CUT], [RIGHT, FAILED], [FAILED, FAILED]]


def _metrics() -> dict[str, float]:
    outcomes = [outcome for group in GROUPS for outcome in group]
    return dialogue_metrics(outcomes, batch_advantages([outcome.reward for outcome in outcomes], 2))


def test_dialogues_that_count_are_averaged_and_the_others_counted() -> None:
    found = _metrics()
    # Seven count: four right ones, a wrong one, one that a limit of turns ended, and one that a limit of tokens did.
    assert found["dialogue/success"] == found["dialogue/reward"] == 4 / 7
    assert found["dialogue/turns"] == (4 * 4 + 2 + 6 + 1) / 7
    assert found["dialogue/tool_calls"] == (4 * 2 + 1) / 7
    assert found["dialogue/tokens"] == (4 * 100 + 80 + 120 + 70) / 7
    assert found["dialogue/agent_tokens"] == (4 * 30 + 20 + 50 + 20) / 7
    assert found["dialogue/environment_fraction"] == pytest.approx(1 - 210 / 400)
    assert found["dialogue/max_turns"] == found["dialogue/token_limit"] == 1 / 7
    assert found["dialogue/truncated"] == 2 / 7
    assert found["dialogue/faults"] == 3


def test_groups_that_are_all_right_all_wrong_or_empty() -> None:
    found = _metrics()
    assert found["groups/all_equal"] == 3 / 5
    assert found["groups/all_right"] == 2 / 5  # the one with a failed dialogue is of the others alone
    assert found["groups/all_wrong"] == 1 / 5
    assert found["groups/empty"] == 1


def test_tools_and_users() -> None:
    found = _metrics()
    assert found["tools/get"] == 5 / 7
    assert found["tools/cancel"] == 4 / 7
    assert found["tools/refused"] == 1 / 9
    assert found["user/replies"] == (4 * 3 + 2 + 5 + 1) / 7
    assert found["user/cost"] == 4 * 0.5 + 0.25 + 3 * 0.125  # those that failed are paid for, too


def test_nothing_at_all() -> None:
    found = dialogue_metrics([FAILED], batch_advantages([None], 1))
    assert (found["dialogue/success"], found["dialogue/faults"], found["groups/empty"]) == (0.0, 1.0, 1.0)
    assert "groups/empty" not in dialogue_metrics([RIGHT])


def test_too_many_faults_stop_a_run() -> None:
    check_faults([RIGHT, FAILED], 0.5, what="an update")
    check_faults([RIGHT], 0.0, what="an update")
    with pytest.raises(
        RunStopped, match=r"2 of 3 dialogues of an update failed .* the last with: timed out.*faults, 0\.5"
    ):
        check_faults([RIGHT, FAILED, FAILED], 0.5, what="an update")


def test_the_figures_of_real_dialogues_are_those_of_their_tokens(toy: Toy) -> None:
    pool = DialoguePool(toy.setting, ToyUser(fault_every=4), max_turns=6)
    driver = RolloutDriver(toy.chat, lengths=LengthConfig(total=300, turn=30), tools="compact")
    held = driver.run(toy.model(), pool.dialogues(list(toy.setting.tasks[:16]), range(16)), seeds=range(16))
    entries = [session.episode.entries for session in pool._sessions]
    driver.close()
    found = dialogue_metrics([Outcome.of(trajectory) for trajectory in held])
    counted = [(t, e) for t, e in zip(held, entries, strict=True) if t.reward is not None]
    assert 0 < len(counted) < 16
    assert found["dialogue/faults"] == 16 - len(counted)
    calls = [sum(len(getattr(entry.message, "tool_calls", ())) for entry in e) for _, e in counted]
    assert found["dialogue/tool_calls"] == pytest.approx(sum(calls) / len(counted))
    named = sum(value for name, value in found.items() if name.startswith("tools/") and name != "tools/refused")
    assert named == pytest.approx(found["dialogue/tool_calls"])
    assert found["user/replies"] == pytest.approx(
        sum(entry.source == "user" for _, e in counted for entry in e) / len(counted)
    )
    assert found["dialogue/agent_tokens"] == pytest.approx(
        sum(span.end - span.start for t, _ in counted for span in t.spans if span.source == "agent") / len(counted)
    )
    pool.close()
