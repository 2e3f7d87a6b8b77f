"""What a rollout's summary says of repeated dialogues and of tasks with criteria of their own."""

from __future__ import annotations

import pytest

from mua_env.rollout_folder import pass_k


def test_pass_k_is_the_chance_that_k_of_the_dialogues_all_succeed():
    outcomes = [("a", True), ("a", True), ("a", False), ("a", False), ("b", True), ("b", True), ("b", True)]
    assert pass_k(outcomes) == pytest.approx({1: (2 / 4 + 1) / 2, 2: (1 / 6 + 1) / 2, 3: (0 + 1) / 2})


@pytest.mark.parametrize("outcomes", [[], [("a", True)], [("a", True), ("a", True), ("b", False)]])
def test_pass_k_needs_several_dialogues_of_each_task(outcomes):
    assert pass_k(outcomes) == {}
