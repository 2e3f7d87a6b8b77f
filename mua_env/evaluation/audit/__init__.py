"""The audit of a task set: what is wrong with its tasks, what they ask for, and what agents without skill score.

Entry point: :func:`mua_env.evaluation.audit.run.audit`; ``mua-env tasks audit SOURCE`` on the command line. It leans on
episodes and agents; the reports and the command line lean on it.
"""

from mua_env.evaluation.audit.results import Audit, TaskAudit, Totals
from mua_env.evaluation.audit.run import audit

__all__ = ["Audit", "TaskAudit", "Totals", "audit"]
