"""`python -m mua_env` is `mua-env`, for launchers that start modules."""

from mua_env.cli import main

raise SystemExit(main())
