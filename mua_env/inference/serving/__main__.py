"""`python -m mua_env.inference.serving FOLDER`: serve a local model on 127.0.0.1 until an interrupt."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence

# Threads that spin while they wait slow small models down where cores are shared; set before torch is imported.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

from mua_env.errors import MuaError


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m mua_env.inference.serving", description=__doc__)
    parser.add_argument("folder", help="folder of a model with its tokenizer")
    parser.add_argument("--host", default="127.0.0.1", help="default 127.0.0.1: this server has no authentication")
    parser.add_argument("--port", type=int, default=8000, help="default 8000; 0 takes a free one")
    parser.add_argument("--dtype", choices=("float32", "bfloat16"), default="float32")
    parser.add_argument("--batch", type=int, default=1, help="chats completed at the same time (default 1)")
    parser.add_argument("--threads", type=int, help="threads of PyTorch (default: its own choice)")
    options = parser.parse_args(arguments)
    try:
        import torch

        from mua_env.inference.serving.local_model import LocalModel
        from mua_env.inference.serving.server import ChatServer

        if options.threads is not None:
            torch.set_num_threads(options.threads)
        model = LocalModel(options.folder, dtype=options.dtype, batch=options.batch)
        with ChatServer(model, host=options.host, port=options.port) as server:
            print(f"{model.name} at {server.base_url}", flush=True)
            server.wait()
    except MuaError as error:
        parser.exit(2, f"serving: {error}\n")
    except KeyboardInterrupt:
        return 0
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
