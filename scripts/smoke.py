"""Make every registered environment and take one step in each; run it with an installed package, outside the repo."""

import sys

import gymnasium as gym

import mua_env


def main() -> None:
    """Exit with a message if an environment cannot be made, or if making one imported a heavy library."""
    ids = sorted(mua_env.environment_ids().values())
    if not ids:
        sys.exit("no environment is registered")
    for env_id in ids:
        try:
            env = gym.make(env_id)
        except (mua_env.MissingExtra, mua_env.TaskError) as error:  # those over somebody else's files
            print(f"{env_id}: not made, {error}")
            continue
        messages, info = env.reset(seed=0)
        env.step("Could you tell me your email address?")
        print(f"{env_id}: task {info['task_id']}, {len(info['tools'])} tools; the user opens: {messages[0]['content']}")
        env.close()
    heavy = {"torch", "transformers", "trl", "litellm", "vllm"} & sys.modules.keys()
    if heavy:
        sys.exit(f"making an offline environment imported {sorted(heavy)}")


if __name__ == "__main__":
    main()
