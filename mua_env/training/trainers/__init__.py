"""What changes the weights: the cold start, GRPO on TRL, adapters, sharded models.
Leans on `rollout` and below; runs lean on it."""
