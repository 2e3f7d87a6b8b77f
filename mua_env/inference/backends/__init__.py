"""What samples the agent's turns: a model in this process, or a vLLM engine here or behind HTTP.

All of them meet one small protocol, `base.Backend`; the driver in `mua_env.training.rollout.driver` knows nothing else.
They lean on `sampling` and the chat formats; local agents, `serving` and training lean on them.
"""
