"""Prints the schemas of tau2's tools by domain, the user's under ``<domain> user``; it runs beside tau2."""

from __future__ import annotations

import json

from loguru import logger

logger.remove()

from tau2.registry import registry  # noqa: E402


def main() -> None:
    """One line of JSON."""
    found = {}
    for domain in ("retail", "airline", "telecom"):
        environment = registry.get_env_constructor(domain)()
        found[domain] = [tool.openai_schema for tool in environment.get_tools()]
        if environment.user_tools is not None:
            found[f"{domain} user"] = [tool.openai_schema for tool in environment.get_user_tools()]
    print(json.dumps(found))


if __name__ == "__main__":
    main()
