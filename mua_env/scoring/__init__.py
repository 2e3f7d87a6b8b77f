"""From two databases and a dialogue to a score: the scorer, checks, heard refusals, judges of statements.
It leans on the users' language to hear refusals; episodes and all above lean on it."""
