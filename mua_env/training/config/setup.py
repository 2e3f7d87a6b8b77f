"""Settings of what is trained, and on what; see `mua_env.training.config.train` for their sources."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from mua_env.core.scores import RewardName
from mua_env.core.settings import Settings
from mua_env.core.tools import PresentationName
from mua_env.inference.agent_view import Results as Results
from mua_env.inference.chat_template import SPECIAL_TOKENS, Detail
from mua_env.training.config.bounds import MOST, Amount, Count, Options, ShareBelowOne, Text


class ScratchConfig(Settings):
    """Shape of a model from nothing (this project; small enough for a CPU)."""

    hidden: Count = Field(128, description="width of the residual stream")
    layers: Count = Field(4, description="transformer layers")
    heads: Count = Field(4, description="attention heads")
    kv_heads: Count = Field(2, description="key-value heads")
    head: int = Field(
        64,
        ge=2,
        le=MOST,
        multiple_of=2,
        description="width of a head; query-key norm bounds attention by its square root",
    )
    initializer: Amount = Field(
        0.08,
        description="spread of the first weights, about 1 / sqrt(hidden); with the 0.02 of large models one this "
        "small does not begin to copy within a short run",
    )
    feed_forward: Count = Field(3, description="width of the feed-forward layer, in multiples of `hidden`")
    positions: Count = Field(4096, description="longest sequence in tokens")
    theta: float = Field(1e4, gt=1, le=1e12, description="base of the rotary position encoding; Qwen3 itself has 1e6")
    copying: bool = Field(
        False,
        description="begin with heads that copy (`tiny_model.induction`) instead of finding them; theta 1e6",
    )
    vocabulary: int = Field(
        2048, ge=256 + len(SPECIAL_TOKENS), le=MOST, description="size of the tokenizer; small, and digits single"
    )
    code_length: int = Field(
        6,
        ge=2,
        le=64,
        description="characters of a code, as a reservation's; the tokenizer reads codes by single characters",
    )
    phrases: bool = Field(
        False, description="tokens of their own for what is the same in every dialogue, on top of `vocabulary`"
    )

    @model_validator(mode="after")
    def _divides(self) -> ScratchConfig:
        if self.heads % self.kv_heads:
            raise ValueError("heads must be a multiple of kv_heads")
        if self.copying and (self.layers < 2 or self.heads < 4 or self.head < 64 or self.theta < 1e5):
            raise ValueError("copying needs 2 layers, 4 heads of width 64 and a theta of 1e5 at least")
        return self


class LoraConfig(Settings):
    """Low-rank adapters in place of full training (this project; the paper trains all weights)."""

    rank: Count = Field(16, description="of the adapters' matrices")
    alpha: Count = Field(32, description="the adapters' change is scaled by alpha / rank")
    dropout: ShareBelowOne = Field(0.0, description="within the adapters")
    targets: tuple[Text, ...] | Text = Field("all-linear", description="names of modules, or what PEFT knows by name")


class ModelConfig(Settings):
    """The model: a hub id or a folder, or one from nothing."""

    path: Text | None = Field(None, description="hub id or local folder; None builds a model from nothing")
    scratch: ScratchConfig = Field(default_factory=ScratchConfig, description="shape when `path` is None")
    dtype: Literal["float32", "bfloat16"] = Field(
        "float32",
        description="what it computes in (this project; bfloat16 on a GPU); weights that are trained are kept in "
        "float32, because bfloat16 has no room for updates of 1e-6",
    )
    template_options: Options = Field(
        default_factory=dict,
        description="of the chat template, as {'enable_thinking': False} for Qwen3 (§4.1: non-thinking)",
    )
    lora: LoraConfig | None = Field(
        None,
        description="train adapters only, fresh ones in each phase, merged at its end; in GRPO the model without them "
        "is the reference",
    )

    def mixed(self, *, sharded: bool = False) -> bool:
        """Whether it computes in bfloat16 on weights in float32.

        Adapters are in float32 by themselves, and FSDP and DeepSpeed keep copies in float32 of what they spread.
        """
        return self.dtype == "bfloat16" and self.lora is None and not sharded

    def loaded_as(self, *, sharded: bool = False) -> str:
        """The precision that its weights are loaded in to be trained."""
        return "float32" if self.mixed(sharded=sharded) else self.dtype


class TaskSource(Settings):
    """One source of a mix of tasks; what is None is the environment's."""

    id: Text | None = Field(None, description="registered environment, as MUA/Airline-v1")
    tasks: Text | None = Field(None, description="task set of the training")
    held_out: Text | None = Field(None, description="task set that success is measured on")
    path: Text | None = Field(None, description="where the files of a public benchmark lie")
    share: Amount | None = Field(
        None, description="of the queries, relative to the other sources'; None for the number of its tasks"
    )


class EnvironmentConfig(Settings):
    """Which tasks the agent is trained on, and what it is shown."""

    id: Text = Field("MUA/Retail-v1", description="registered environment")
    tasks: Text = Field("train", description="task set: split, or split:level=N, or tau1:train")
    held_out: Text = Field("test", description="task set that success is measured on")
    path: Text | None = Field(None, description="where the files of a public benchmark lie")
    presentation: PresentationName | None = Field(
        None, description="how tools are shown: own, or as the benchmark does; None for the task set's own"
    )
    sources: tuple[TaskSource, ...] = Field(
        (), description="several task sets, of one domain or more, mixed; empty for `tasks` alone (§4.1: two)"
    )
    user: Text = Field("agenda", description="user simulator; the paper uses GPT-4o (§4.1)")
    user_options: Options = Field(default_factory=dict, description="further arguments of the user")
    held_out_user_options: Options | None = Field(
        None, description="those of the users that success is measured with; None for the same"
    )
    policy: Detail = Field("full", description="policy document as the agent reads it")
    tools: Detail = Field("full", description="tool schemas as the agent reads them")
    results: Results = Field(
        "full", description="tool results as the agent reads them; 'brief' for small models, as the domain words it"
    )
    max_turns: Count = Field(30, description="turns a task (§4.1)")
    reward: RewardName = Field("outcome", description="database alone; outputs are dropped in training (§4.1)")
    held_out_reward: RewardName | None = Field(None, description="None for the task set's own, which keeps them (§4.1)")
    judge: Text | None = Field(None, description="model that judges what held-out tasks state (tau2); None for nobody")
    judge_options: Options = Field(default_factory=dict, description="further arguments of the judge")

    def options_of_users(self, *, held_out: bool) -> dict[str, Any]:
        """Further arguments of the users in training, or of those that success is measured with."""
        return self.held_out_user_options if held_out and self.held_out_user_options is not None else self.user_options

    def each(self) -> list[EnvironmentConfig]:
        """One environment for each source, in order; this one where there is no mix."""
        given = [source.model_dump(exclude={"share"}, exclude_none=True) for source in self.sources]
        return [self.model_copy(update={"sources": (), **values}) for values in given] or [self]


class LengthConfig(Settings):
    """Token limits of one dialogue."""

    total: Count = Field(32_768, description="tokens a sequence, prompt included (§4.1)")
    turn: Count = Field(1_024, description="tokens the agent may sample in a turn (released script)")
