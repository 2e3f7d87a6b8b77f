"""The skeleton of scripted experts: a dialogue written down as a generator, a desk that keeps requests, handlers.
Leans on `core`; the domains' experts lean on it."""
