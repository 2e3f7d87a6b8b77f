"""Training of a model that plays the user: its dialogues, its run, how it is measured.
Leans on all of training."""
