"""The card of a user simulator: how faithful it is to its goals, measured against scripted probing agents.

- :mod:`~mua_env.cards.probes`: the agents that put a user to the test;
- :mod:`~mua_env.cards.measures`: what is counted, as pure functions over a dialogue and its task;
- :mod:`~mua_env.cards.run`: holds the dialogues;
- :mod:`~mua_env.cards.card`, :mod:`~mua_env.cards.report`: the figures, as table, JSON and HTML.
"""
