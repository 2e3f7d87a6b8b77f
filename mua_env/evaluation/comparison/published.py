"""Published figures, for tables that show a run's own beside them.

Source: MUA-RL, arXiv 2508.18669, Tables 1 to 3; per cent, each the mean of 4 runs with GPT-4.1 as the user, temperature
0, non-thinking (section 4.1).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Layout = Literal["table1", "table2", "table3"]

SOURCE = "arXiv 2508.18669"
USER = "gpt-4.1"
TRIALS = 4

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "table1": ("TAU1 Retail", "TAU1 Airline", "TAU2 Retail", "TAU2 Airline", "TAU2 Telecom", "Telecom TCR"),
    "table2": (
        "BFCL Base", "BFCL Miss Func", "BFCL Miss Param", "BFCL Long Context", "BFCL Overall",
        "ACE Multi Turn", "ACE Multi Step", "ACE Overall",
    ),
    "table3": ("TAU2 Retail", "TAU2 Airline", "TAU2 Telecom", "BFCL Base", "BFCL Overall", "ACE Overall"),
}  # fmt: skip
MEANS: Mapping[str, tuple[str, ...]] = {
    "BFCL Overall": ("BFCL Base", "BFCL Miss Func", "BFCL Miss Param", "BFCL Long Context"),
    "ACE Overall": ("ACE Multi Turn", "ACE Multi Step"),
}
"""Columns that are the plain mean of others, each counting once however many tasks it has."""

ROWS: Mapping[str, Mapping[str, tuple[float | None, ...]]] = {
    "table1": {
        "GPT-4o-2024-11-20": (63.0, 45.5, 67.3, 46.9, 24.1, None),
        "GPT-4.1": (66.5, 42.5, 70.2, 53.0, 38.9, None),
        "DeepSeek-V3-0324": (70.4, 42.4, 64.7, 37.0, 32.9, None),
        "Qwen3-235B-A22B": (65.2, 32.0, 64.9, 36.0, 24.6, None),
        "Qwen3-8B": (40.0, 11.0, 41.0, 12.5, 19.1, 22.9),
        "Qwen3-8B cold-start": (36.7, 12.0, 31.4, 16.0, 9.0, 12.1),
        "MUA-RL-8B": (56.5, 29.5, 49.8, 19.0, 21.8, 25.2),
        "Qwen3-14B": (46.9, 13.0, 43.1, 14.8, 29.9, 46.6),
        "Qwen3-14B cold-start": (50.8, 23.0, 53.7, 24.0, 23.5, 32.9),
        "MUA-RL-14B": (65.9, 42.0, 66.0, 38.0, 33.4, 54.3),
        "Qwen3-32B": (47.6, 18.5, 50.2, 23.5, 24.8, 23.7),
        "Qwen3-32B cold-start": (58.9, 36.0, 58.2, 31.1, 19.3, 21.6),
        "MUA-RL-32B": (72.6, 46.5, 67.3, 45.4, 28.3, 45.1),
    },
    "table2": {
        "GPT-4.1": (48.0, 34.0, 35.0, 45.5, 40.5, 83.3, 90.0, 86.7),
        "DeepSeek-V3-0324": (41.0, 21.0, 23.0, 34.5, 29.8, 73.3, 75.0, 74.2),
        "Qwen3-8B": (20.0, 4.0, 13.0, 10.0, 11.8, 33.3, 45.0, 39.2),
        "Qwen3-8B cold-start": (24.0, 11.0, 16.5, 10.0, 15.4, 36.7, 55.0, 45.9),
        "MUA-RL-8B": (21.0, 11.5, 15.0, 11.0, 14.6, 46.7, 60.0, 53.3),
        "Qwen3-32B": (29.5, 11.0, 20.0, 18.0, 19.6, 60.0, 85.0, 72.5),
        "Qwen3-32B cold-start": (35.0, 21.0, 28.5, 19.5, 26.0, 53.3, 100.0, 76.6),
        "MUA-RL-32B": (42.0, 20.0, 30.0, 21.5, 28.4, 70.0, 95.0, 82.5),
    },
    "table3": {
        "Qwen3-32B": (50.2, 23.5, 24.8, 29.5, 19.6, 72.5),
        "without RL (cold-start only)": (58.2, 31.1, 19.3, 35.0, 26.0, 76.6),
        "without cold-start": (61.6, 41.0, 28.1, 29.5, 19.3, 82.5),
        "full": (67.3, 45.4, 28.3, 42.0, 28.4, 82.5),
    },
}

SOURCES: Mapping[str, tuple[str, int]] = {
    "TAU1 Retail": ("retail:tau1:test", 115),
    "TAU1 Airline": ("airline:tau1:test", 50),
    "TAU2 Retail": ("retail:tau2:base", 114),
    "TAU2 Airline": ("airline:tau2:base", 50),
    "TAU2 Telecom": ("telecom:tau2:base", 114),
    "Telecom TCR": ("telecom:tau2:base", 114),
    "BFCL Base": ("bfclmultiturn:base", 200),
    "BFCL Miss Func": ("bfclmultiturn:miss_func", 200),
    "BFCL Miss Param": ("bfclmultiturn:miss_param", 200),
    "BFCL Long Context": ("bfclmultiturn:long_context", 200),
    "ACE Multi Turn": ("acebenchagent:multi_turn", 30),
    "ACE Multi Step": ("acebenchagent:multi_step", 20),
}
"""By column, the task source that it is about, and how many tasks it has."""
