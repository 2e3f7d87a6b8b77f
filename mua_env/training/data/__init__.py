"""What is trained on: expert dialogues as tokens, their copies, and the order in which tasks come.
Leans on `config`; rollout and trainers lean on it."""
