#!/usr/bin/env bash
# The core's tests on each further Python that the package declares and the PATH has, in environments without PyTorch.
# Usage: scripts/test_other_pythons.sh [VERSION ...], default 3.12 3.13; what is not there is skipped, in words.
set -euo pipefail
root="$(cd "$(dirname "$0")/.." && pwd)"
cd "$root"
core=(tests/engine tests/agents tests/cli tests/rollout tests/llm tests/retail)

# A shim of pyenv is on the PATH even where the version that it stands for is not chosen: it must run.
interpreter() {
    local found
    for found in "python$1" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$1".*/bin/"python$1"; do
        if "$found" -c "import sys; sys.exit('%d.%d' % sys.version_info[:2] != '$1')" 2> /dev/null; then
            echo "$found"
            return
        fi
    done
}

skipped=()
versions=("$@")
[ $# -gt 0 ] || versions=(3.12 3.13)
for version in "${versions[@]}"; do
    found="$(interpreter "$version")"
    if [ -z "$found" ]; then
        skipped+=("$version")
        continue
    fi
    folder="$root/.venv-python$version"
    python="$folder/bin/python"
    if [ ! -f "$folder/.made" ]; then
        "$found" -m venv "$folder"
        "$python" -m pip install --quiet -e "$root[llm]" 'pytest>=8.3' 'hypothesis>=6.100' 'pytest-xdist>=3.6'
        touch "$folder/.made"
    fi
    echo "Python $("$python" -c 'import platform; print(platform.python_version())'): the core, without PyTorch"
    "$python" -m pytest -n 2 --dist loadgroup -m 'not postgres and not slow and not train' "${core[@]}"
done
[ ${#skipped[@]} -eq 0 ] || echo "Skipped: Python ${skipped[*]} is not on the PATH; the core was not tested on it"
