"""Where a failed dialogue was lost: each turn's value, by continuations that a reference agent holds.
Leans on sessions that can be forked; the viewer and the command line lean on its results."""
