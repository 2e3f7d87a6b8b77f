"""A user played by a small model in this process, trained on dialogues of the agenda user.
Leans on `users.llm` and `inference`."""
