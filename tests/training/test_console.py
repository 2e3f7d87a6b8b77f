import re
from io import StringIO

from rich.console import Console

from mua_env.training.run.console import Reporter

ROW = {"step": 3, "reward": 0.25, "dialogue/success": 0.25, "groups/all_equal": 0.5, "dialogue/turns": 4.0}
FIRST = ["step", "reward", "success", "all", "equal", "turns", "tokens", "seconds"]
"""Words in the heads of the columns that every width shows."""


def test_plain_lines_where_there_is_no_terminal() -> None:
    screen = StringIO()
    reporter = Reporter(Console(file=screen, width=200))
    reporter.grpo({**ROW, "dialogue/tokens": 700, "seconds": 2.5})
    reporter.grpo({**ROW, "step": 4})
    lines = screen.getvalue().splitlines()
    assert lines[0].split() == [*FIRST, "calls", "cut", "faults", "KL", "entropy"]
    assert lines[1].split()[:7] == ["3", "0.250", "25.0%", "0.50", "4.0", "700", "2.5"]
    assert lines[2].split()[5:7] == ["-", "-"]
    assert "\x1b" not in screen.getvalue()


def test_a_live_table_on_a_terminal() -> None:
    screen = StringIO()
    reporter = Reporter(Console(file=screen, width=80, height=40, force_terminal=True))
    reporter.phase("GRPO")
    for step in range(1, 21):
        reporter.grpo({**ROW, "step": step})
    reporter.say("in between")
    reporter.phase("Run folder")
    text = screen.getvalue()
    assert "\x1b[" in text
    final = text[text.rindex("in between") :]
    (header,) = [line for line in final.splitlines() if "success" in line][-1:]
    # A narrow terminal shows the first columns only.
    assert re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", header).split() == FIRST
    shown = [line.split()[0] for line in final.splitlines() if line.split()[1:2] == ["0.250"]]
    assert shown[-15:] == [str(step) for step in range(6, 21)]
    reporter.close()


def test_quiet_reporters_print_nothing() -> None:
    screen = StringIO()
    reporter = Reporter(Console(file=screen, force_terminal=True), quiet=True)
    reporter.phase("GRPO")
    reporter.grpo(ROW)
    reporter.say("x")
    assert screen.getvalue() == ""
