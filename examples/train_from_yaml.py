"""Run a training configuration: python examples/train_from_yaml.py examples/retail_small.yaml

Two processes on CPUs: ACCELERATE_USE_CPU=true accelerate launch --multi_gpu --num_processes 2 <this> <yaml>
"""

import argparse
import os

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # before torch: spinning threads are slow on shared cores

from mua_env.training.config import load_config

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("config", help="a YAML file, see mua_env/training/config.py for every setting")
    parser.add_argument("--path", help="environment.path: where the files of a public benchmark lie")
    options = parser.parse_args()
    config = load_config(options.config)
    if options.path:
        environment = config.environment.model_copy(update={"path": options.path})
        config = config.model_copy(update={"environment": environment})

    from mua_env.training.pipeline import train

    print(train(config))
