"""Agents, what acts in a dialogue: a model behind an API, one in this process, a random one, and scripted experts.
They lean on `core`, `llm`, `inference` and the spaces of `gym`; evaluation, domains and training lean on them."""
