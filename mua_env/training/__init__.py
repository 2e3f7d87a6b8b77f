"""Training of the agent: token-level dialogues, cold-start SFT, GRPO.

Import the module you need; nothing here imports torch, transformers or trl until it is used.

    config      every setting, with the paper's value and where it comes from
    data        expert dialogues as token trajectories, their copies, tasks of several sources as one, the curriculum
    rollout     many dialogues at once, token in, token out; groups, their advantages, credit by turns
    trainers    the cold start, the thin TRL subclass for GRPO, adapters, sharded models
    run         a run from configuration to report: folder, checkpoints, processes, metrics, plots
    plan        what a configuration would run and cost
    tiny_model  a byte-level tokenizer and a small Qwen3 model from nothing; its first weights that copy
    user_model  training of a model that plays the user
    quickstart  the main job of `make quickstart`

It leans on all wings but `integrations` and the command line; those lean on it.
"""
