"""Loaded by vLLM's workers before the model is, through ``--worker-extension-cls plain_linear.Extension``.

On CPUs vLLM packs the weights of linear layers for oneDNN, and a packed layer goes on with its old weights when new
ones are loaded. Without oneDNN it takes its own fallback, which reads the weights at each call.
"""

from vllm import _custom_ops

_custom_ops._supports_onednn = False


class Extension:
    """Adds nothing to the worker."""
