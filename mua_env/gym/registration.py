"""Registers an environment id for every installed domain, from entry-point metadata alone."""

from __future__ import annotations

import gymnasium as gym

from mua_env.domain.discovery import environment_ids


def register_all() -> None:
    """Register ``MUA/<Domain>-v<N>`` for each domain that is not registered yet; no domain is imported."""
    for name, env_id in environment_ids().items():
        if env_id not in gym.registry:
            gym.register(
                id=env_id,
                entry_point="mua_env.gym.env:DialogueEnv",
                vector_entry_point="mua_env.gym.vector:DialogueVectorEnv",
                kwargs={"domain": name},
            )
