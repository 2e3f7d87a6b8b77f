"""What a configuration would run and cost, before it runs.
Leans on `config`, `data` and the tiny model; the command line leans on it."""
