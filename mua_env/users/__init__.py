"""User simulators: the offline agenda user, users that models play, a person, a record, nobody (solo).
They lean on `core`, `domain`, `llm` and `inference`; scoring, episodes and all above lean on them."""
