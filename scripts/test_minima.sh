#!/usr/bin/env bash
# The tests with the oldest versions that pyproject.toml declares: a lower bound that nobody installs is a guess.
# Usage: scripts/test_minima.sh [folder], default .venv-minima; further words are arguments of pytest. Some minutes.
# Only torch is that of constraints.txt: its oldest build comes with gigabytes of CUDA.
set -euo pipefail
root="$(cd "$(dirname "$0")/.." && pwd)"
folder="${1:-$root/.venv-minima}"
shift || true
python="$folder/bin/python"

minima() {
    "${PYTHON:-python3}" "$root/scripts/minima.py" "$@" | grep -v '^torch=='
}

cd "$root"
"${PYTHON:-python3}" -m venv --clear "$folder"
# shellcheck disable=SC2046  # one pin a word
"$python" -m pip install --quiet $(minima llm) "setuptools>=77" pytest hypothesis pytest-xdist
"$python" -m pip install --quiet --no-deps -e "$root"
"$python" -m pytest -n 2 --dist loadgroup -m 'not postgres and not slow' \
    tests/engine tests/agents tests/cli tests/rollout tests/llm "$@"
# What leans on transformers, TRL and PEFT, which need a newer NumPy than the core.
# shellcheck disable=SC2046
"$python" -m pip install --quiet -c constraints.txt torch $(minima llm train viewer)
"$python" -m pytest -n 2 --dist loadgroup -m 'not slow' \
    tests/training/test_config.py tests/training/test_cold_start.py tests/training/test_grpo.py \
    tests/training/test_adapters.py "$@"
