"""A run from configuration to report: its folder, phases, checkpoints, processes, what is printed and drawn.
Leans on all of training but `plan`."""
