"""What everything else speaks of: messages, tools, tasks and their sets, the world, trajectories, the agent's contract,
the database. It knows no user, no model and no benchmark, and leans on `mua_env.errors` alone; all may lean on it."""
