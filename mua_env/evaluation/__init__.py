"""Agents and users measured: rollouts and their folders, the user card, audits of tasks, reports.
Leans on agents and episodes; training leans on it for its reports."""
