"""Training of the agent: token-level dialogues, cold-start SFT, GRPO.

Import the module you need; nothing here imports torch, transformers or trl until it is used.

    config        every setting, with the paper's value and where it comes from; config_setup, config_phases, settings
    advantages    group advantages and the clipped objective, as pure functions
    template      the append-only chat template, and compact renderings of policy document and tools
    chat          what a tokenizer makes of a dialogue, chunk by chunk
    parsing       the agent's sampled text -> an assistant message
    trajectory    token ids, mask, log-probabilities and sources of one dialogue
    scratch, copying
                  a byte-level tokenizer and a small Qwen3 model from nothing; its first weights that copy
    generation, backends
                  draws that depend on a row's seed alone, and what samples turns with them: a model here, or vLLM
    rollout       many dialogues at once, token in, token out
    demonstrations, shuffling, lessons, cold_start
                  expert dialogues as trajectories, their shuffled copies, and supervised training on them
    mixing, pool  tasks of several sources as one, and sessions for them
    group_rollout, drawing, turn_credit
                  the groups of a batch: held, drawn anew, drawn by a curriculum, credited by turns
    grpo, grpo_config, sft, trl_fields
                  the thin TRL subclass, the cold start by TRL, and what is passed through to both
    outcomes, happenings, tracking
                  what dialogues came to, in metrics, and where these are sent
    plan, plan_text, expected, memory
                  what a configuration would run and cost
    places, run_folder, console, measurements, plots, report, run_parts, pipeline, quickstart
                  a run from configuration to report
"""
