"""An audit as one HTML page that needs nothing else."""

from __future__ import annotations

from mua_env.audit.report import Audit
from mua_env.audit.table import findings, idle_names, number
from mua_env.reports.pages import page_environment
from mua_env.scoring import BASES


def render_html(audit: Audit) -> str:
    """The page's text."""
    totals = audit.totals
    return (
        page_environment("mua_env.audit")
        .get_template("report.html.j2")
        .render(
            audit=audit,
            totals=totals,
            findings=findings(totals),
            rewards=list(BASES),
            number=number,
            idle_names=idle_names,
        )
    )
