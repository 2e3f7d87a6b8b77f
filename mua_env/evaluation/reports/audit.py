"""An audit as one HTML page that needs nothing else."""

from __future__ import annotations

from mua_env.core.scores import BASES
from mua_env.evaluation.audit.results import Audit
from mua_env.evaluation.audit.table import findings, idle_count, idle_names, number
from mua_env.evaluation.reports.pages import page_environment


def render_html(audit: Audit) -> str:
    """The page's text."""
    totals = audit.totals
    return (
        page_environment()
        .get_template("audit.html.j2")
        .render(
            audit=audit,
            totals=totals,
            findings=findings(totals, left_out=audit.left_out),
            rewards=list(BASES),
            number=number,
            idle_names=idle_names,
            idle_count=idle_count,
        )
    )
