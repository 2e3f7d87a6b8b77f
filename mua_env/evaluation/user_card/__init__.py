"""The card of a user simulator: how faithful it is to its goals, measured against scripted probing agents.

- :mod:`~mua_env.evaluation.user_card.probes`: the agents that put a user to the test;
- :mod:`~mua_env.evaluation.user_card.measures`: what is counted, as pure functions over a dialogue and its task;
- :mod:`~mua_env.evaluation.user_card.run`: holds the dialogues;
- :mod:`~mua_env.evaluation.user_card.card`: the figures, which :mod:`~mua_env.evaluation.reports.user_card` shows.

It leans on users and episodes, and reads users by cues of its own; the reports and the command line lean on it.
"""
