"""One dialogue: the turn machine without I/O, the session around it, its setting, the user channel, the verdict.
It leans on users and scoring; every shell (gym, rollouts, training) leans on it."""
