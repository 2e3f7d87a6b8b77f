"""Domains that come with the package, installed as ``mua_env.envs``; the engine finds them by entry point."""
