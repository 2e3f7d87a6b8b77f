"""From what an agent writes to dialogue acts: cue words, a glossary for Chinese, and the acts.
Leans on nothing but the language contract; the agenda's turn and the refusal listener lean on it."""
