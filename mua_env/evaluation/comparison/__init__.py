"""Runs held beside each other: paired comparison, a list of runs, and tables as in the paper.
Leans on the folders and metrics of evaluations."""
