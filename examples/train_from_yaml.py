"""Run a training configuration from Python: python examples/train_from_yaml.py examples/quickstart.yaml

`mua-env train` does the same and more; docs/training.md tells how to stop, go on, and use several processes.
"""

import argparse
import os
import sys

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # before torch: spinning threads are slow on shared cores

from mua_env.errors import MuaError
from mua_env.training.config.train import load_config

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("config", help="a YAML file, see mua_env/training/config/train.py for every setting")
    parser.add_argument("--path", help="environment.path: where the files of a public benchmark lie")
    parser.add_argument("--folder", help="of the run: empty or new, or the one to go on with")
    parser.add_argument("--resume", action="store_true", help="go on with a run that was stopped or killed")
    options = parser.parse_args()
    try:
        config = load_config(options.config)
        if options.path:
            environment = config.environment.model_copy(update={"path": options.path})
            config = config.model_copy(update={"environment": environment})

        from mua_env.training.run.pipeline import train

        print(train(config, folder=options.folder, resume=options.resume))
    except MuaError as error:
        sys.exit(f"train: {error}")
