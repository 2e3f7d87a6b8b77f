"""User simulators."""
