"""An audit as one HTML page that needs nothing else."""

from __future__ import annotations

from importlib import resources

from mua_env.audit.report import Audit
from mua_env.audit.table import findings, idle_names, number
from mua_env.scoring import BASES


def render_html(audit: Audit) -> str:
    """The page's text."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    source = (resources.files("mua_env.audit") / "report.html.j2").read_text(encoding="utf-8")
    totals = audit.totals
    return environment.from_string(source).render(
        audit=audit,
        totals=totals,
        findings=findings(totals),
        rewards=list(BASES),
        number=number,
        idle_names=idle_names,
    )
