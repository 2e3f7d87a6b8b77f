"""Users played by a language model: prompts, reading of replies, guards against the model's own faults.
Leans on `llm` and the agenda's language; `users.local` leans on it."""
