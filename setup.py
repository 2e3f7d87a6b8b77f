"""Lays the domain plugins of ``envs/`` at ``mua_env.envs``; everything else stands in pyproject.toml."""

from setuptools import find_packages, setup

engine = find_packages(include=["mua_env", "mua_env.*"])
plugins = [f"mua_env.{name}" for name in find_packages(include=["envs", "envs.*"])]

setup(
    packages=engine + plugins,
    package_dir={"mua_env": "mua_env", "mua_env.envs": "envs"},
    package_data={
        name: ["py.typed", "*.md", "**/*.jsonl", "**/*.json", "**/*.md", "**/*.gz", "**/*.j2", "**/*.npz"]
        for name in engine + plugins
    },
)
