"""Dialogues of the model that is trained, token in, token out, in groups, with what they came to.
Leans on `config` and `data`; trainers lean on it."""
