"""Agents: what acts in a dialogue."""
