"""Every setting of a run, with the paper's value and where it comes from.
Leans on nothing of training; all of training leans on it."""
