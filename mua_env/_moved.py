"""Where modules have moved to: imports by an old name still work, with a ``DeprecationWarning``.

One table for both kinds: :data:`MODULES` are gone from their old place, :data:`PACKAGES` were modules and are packages
of the same name now. Nothing is imported before an old name is used.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import CodeType, ModuleType
from typing import Any

ROOT = "mua_env."

MODULES = {
    "agents.base": "core.agent",
    "agents.desk": "agents.scripted.desk",
    "agents.expert": "agents.scripted.expert",
    "agents.handlers": "agents.scripted.handlers",
    "agents.interpreting": "agents.scripted.interpreter",
    "agents.reading": "agents.scripted.reading",
    "arithmetic": "domain.arithmetic",
    "audit": "evaluation.audit",
    "audit.baselines": "evaluation.audit.baselines",
    "audit.duplicates": "evaluation.audit.duplicates",
    "audit.html": "evaluation.reports.audit",
    "audit.report": "evaluation.audit.results",
    "audit.run": "evaluation.audit.run",
    "audit.table": "evaluation.audit.table",
    "audit.turns": "evaluation.audit.values",
    "audit.values": "evaluation.audit.values",
    "cards": "evaluation.user_card",
    "cards.card": "evaluation.user_card.card",
    "cards.cues": "evaluation.user_card.cues",
    "cards.dialogue": "evaluation.user_card.dialogue",
    "cards.facts": "evaluation.user_card.facts",
    "cards.folder": "evaluation.user_card.folder",
    "cards.lines": "evaluation.user_card.lines",
    "cards.measures": "evaluation.user_card.measures",
    "cards.probes": "evaluation.user_card.probes",
    "cards.report": "evaluation.reports.user_card",
    "cards.result": "evaluation.user_card.result",
    "cards.run": "evaluation.user_card.run",
    "cards.stops": "evaluation.user_card.stops",
    "cards.tokens": "evaluation.user_card.tokens",
    "characters": "core.outside",
    "checks": "scoring.checks",
    "database": "core.database",
    "database._changelog": "core.database._changelog",
    "database._database": "core.database._database",
    "database._lookup": "core.database._lookup",
    "database._postgres": "core.database._postgres",
    "database._statements": "core.database._statements",
    "database._template": "core.database._template",
    "deriving": "domain.derived_goals",
    "difference": "core.database.difference",
    "discovery": "domain.discovery",
    "env": "gym.env",
    "env_options": "gym.vector",
    "envs.retail.language.things": "envs.retail.language.products",
    "envs.telecom.language.intents_of": "envs.telecom.language.slots",
    "generation": "domain.generator",
    "judging": "scoring.judges",
    "kit": "core.toolsets",
    "language": "users.agenda.language",
    "llm.judge": "scoring.llm_judge",
    "messages": "core.messages",
    "models": "inference",
    "models.smollm2": "inference.smollm2",
    "packaged": "domain.packaged",
    "public": "domain.public",
    "public._files": "domain.public._reading",
    "public._literals": "domain.public._reading",
    "public.tau1": "domain.public.tau1",
    "public.tau2": "domain.public.tau2",
    "public.tau2_tasks": "domain.public.tau2_tasks",
    "public.tau2_tools": "domain.public.tau2_tools",
    "refusals": "scoring.refusals",
    "registration": "gym.registration",
    "reports": "evaluation.reports",
    "reports.html": "evaluation.reports.dialogues",
    "reports.pages": "evaluation.reports.pages",
    "reports.terminal": "evaluation.reports.terminal",
    "rollout": "evaluation.rollouts",
    "rollout_folder": "evaluation.rollout_folder",
    "serving": "inference.serving",
    "serving.__main__": "inference.serving.__main__",
    "serving.client": "inference.serving.local_client",
    "serving.engine": "inference.serving.local_model",
    "serving.memory": "inference.serving.dialogue_states",
    "serving.sampling": "inference.serving.decoding",
    "serving.server": "inference.serving.server",
    "session": "episode.session",
    "setting": "episode.setting",
    "settling": "core.outcomes",
    "spaces": "gym.spaces",
    "splits": "cli.splits",
    "task_files": "core.task_files",
    "task_set": "core.task_sets",
    "tasks": "core.tasks",
    "tools": "core.tools",
    "training.adapters": "training.trainers.adapters",
    "training.advantages": "training.rollout.advantages",
    "training.backends": "inference.backends",
    "training.backends.base": "inference.backends.base",
    "training.backends.batching": "inference.backends.batching",
    "training.backends.cache_engine": "inference.backends.cache_engine",
    "training.backends.make": "training.run.parts",
    "training.backends.prefixes": "inference.backends.states",
    "training.backends.states": "inference.backends.states",
    "training.backends.vllm_engine": "inference.backends.vllm_engine",
    "training.backends.vllm_server": "inference.backends.vllm_server",
    "training.backends.weights": "inference.backends.weights",
    "training.chat": "inference.chat_tokens",
    "training.checkpoints": "training.run.checkpoints",
    "training.cold_start": "training.trainers.cold_start",
    "training.config_phases": "training.config.phases",
    "training.config_setup": "training.config.setup",
    "training.console": "training.run.console",
    "training.copying": "training.tiny_model.induction",
    "training.demonstrations": "training.data.demonstrations",
    "training.dialects": "inference.chat_formats",
    "training.drawing": "training.data.curriculum",
    "training.evaluation": "training.run.held_out",
    "training.expected": "training.plan.expected",
    "training.experts": "training.data.expert_dialogues",
    "training.generation": "inference.sampling",
    "training.group_rollout": "training.rollout.groups",
    "training.grpo": "training.trainers.grpo",
    "training.grpo_config": "training.trainers.grpo_config",
    "training.happenings": "training.rollout.episode_statistics",
    "training.launching": "training.run.launching",
    "training.ledger": "training.rollout.held_dialogues",
    "training.lessons": "training.data.sft_data",
    "training.measurements": "training.run.measurements",
    "training.memory": "training.plan.memory",
    "training.mixing": "training.data.mixing",
    "training.models": "inference.models",
    "training.outcomes": "training.rollout.episode_statistics",
    "training.parsing": "inference.tool_call_text",
    "training.pipeline": "training.run.pipeline",
    "training.places": "training.run.opening",
    "training.plan_text": "training.plan.text",
    "training.plots": "training.run.plots",
    "training.pool": "training.rollout.pool",
    "training.processes": "training.run.processes",
    "training.progress": "training.run.tracking",
    "training.recording": "training.rollout.recording",
    "training.report": "training.run.report",
    "training.run_folder": "training.run.run_folder",
    "training.run_parts": "training.run.parts",
    "training.same_run": "training.run.resume_check",
    "training.scratch": "training.tiny_model.from_nothing",
    "training.seeds": "core.seeds",
    "training.settings": "training.config.base",
    "training.sft": "training.trainers.sft",
    "training.sharding": "training.trainers.sharding",
    "training.shuffling": "training.data.augmentation",
    "training.stopping": "training.run.stopping",
    "training.template": "inference.chat_template",
    "training.tracking": "training.run.tracking",
    "training.trajectory": "training.data.token_trajectory",
    "training.trl_fields": "training.trainers.trl_fields",
    "training.turn_credit": "training.rollout.turn_credit",
    "training.user": "training.user_model.train",
    "training.user_agents": "training.user_model.agents",
    "training.user_dialogues": "training.user_model.dialogues",
    "training.user_measure": "training.user_model.measure",
    "trajectory": "core.trajectory",
    "user_line": "episode.user_channel",
    "users.solo": "users.fixed_lines",
    "users.agenda_behaviour": "users.agenda.user_policy",
    "users.agenda_chinese": "users.agenda.chinese",
    "users.agenda_cues": "users.agenda.nlu.cues",
    "users.agenda_goal": "users.agenda.goal_state",
    "users.agenda_grammar": "users.agenda.nlg.grammar",
    "users.agenda_hands": "users.agenda.tool_use",
    "users.agenda_hearing": "users.agenda.nlu.glossary",
    "users.agenda_not_found": "users.agenda.nlu.not_found",
    "users.agenda_operations": "users.agenda.operations",
    "users.agenda_personas": "users.agenda.nlg.personas",
    "users.agenda_phrases": "users.agenda.nlg.phrases",
    "users.agenda_proposals": "users.agenda.proposals",
    "users.agenda_refusals": "users.agenda.refused",
    "users.agenda_speaking": "users.agenda.nlg.speaker",
    "users.agenda_tongue": "users.agenda.nlg.personas",
    "users.agenda_turn": "users.agenda.turn",
    "users.agenda_understanding": "users.agenda.nlu.dialogue_acts",
    "users.llm_guards": "users.llm.guards",
    "users.llm_prompts": "users.llm.prompts",
    "users.llm_replies": "users.llm.replies",
    "users.local_guard": "users.local.guard",
    "users.manners": "users.llm.prompts",
    "vector": "gym.vector",
    "verdict": "episode.verdict",
    "verification": "domain.verifier",
    "world": "core.world",
}
"""Old name -> new name, both without ``mua_env.``."""

PACKAGES = {
    "domain": ("domain.contract",),
    "episode": ("episode.episode",),
    "scoring": ("scoring.scorer", "scoring.checks", "core.scores"),
    "training.config": ("training.config.train",),
    "training.plan": ("training.plan.plan",),
    "training.rollout": ("training.rollout.driver",),
    "users.agenda": ("users.agenda.user",),
    "users.llm": ("users.llm.user",),
    "users.local": ("users.local.user",),
}
"""The package -> the modules that hold the names which stood in the module of the package's name."""


NAMES = {"Kit": "Toolset"}
"""Public names of before -> what they are now, in ``mua_env`` itself."""


def install() -> None:
    """Let old names of modules be imported."""
    if not any(isinstance(finder, _MovedFinder) for finder in sys.meta_path):
        # First, because an old package's submodules would else be found a second time, in the folder of its alias.
        sys.meta_path.insert(0, _MovedFinder())


def names_of(package: str) -> Callable[[str], Any]:
    """A ``__getattr__`` for a package that was a module: its names are looked up where they stand now.

    Args:
        package: dotted name of the package, a key of :data:`PACKAGES` behind ``mua_env.``.
    """
    homes = [ROOT + home for home in PACKAGES[package.removeprefix(ROOT)]]

    def moved(name: str) -> Any:
        # The import system asks for dunders; a submodule's own name is no moved name either.
        if not name.startswith("__") and find_spec(f"{package}.{name}") is None:
            for home in homes:
                module = import_module(home)
                if hasattr(module, name):
                    warn_renamed(f"{package}.{name}", f"{home}.{name}", stacklevel=3)
                    return getattr(module, name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return moved


class _MovedFinder(MetaPathFinder):
    """Finds modules by their old names."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """A spec whose loader gives the module at its new place; None for any name that has not moved."""
        if not fullname.startswith(ROOT) or fullname.removeprefix(ROOT) not in MODULES:
            return None
        new = ROOT + MODULES[fullname.removeprefix(ROOT)]
        there = find_spec(new)
        if there is None:
            return None
        return ModuleSpec(
            fullname, _MovedLoader(new), origin=there.origin, is_package=there.submodule_search_locations is not None
        )


class _MovedLoader(InspectLoader):
    """Loads a module under its old name: the very same module object."""

    def __init__(self, new: str) -> None:
        self._new = new

    def exec_module(self, module: ModuleType) -> None:
        """Put the module at the new place in the old one's stead; the import system takes what stands there."""
        warn_renamed(module.__name__, self._new, stacklevel=3)
        sys.modules[module.__name__] = import_module(self._new)

    def get_code(self, fullname: str) -> CodeType | None:
        """The code at the new place, for ``python -m``."""
        spec = find_spec(self._new)
        loader = spec.loader if spec is not None else None
        if not isinstance(loader, InspectLoader):
            return None
        warn_renamed(fullname, self._new, stacklevel=3)
        return loader.get_code(self._new)

    def get_source(self, fullname: str) -> str | None:
        """The source at the new place."""
        spec = find_spec(self._new)
        loader = spec.loader if spec is not None else None
        return loader.get_source(self._new) if isinstance(loader, InspectLoader) else None


def warn_renamed(old: str, new: str, *, stacklevel: int) -> None:
    """Say once a place that a name has another one now."""
    warnings.warn(f"{old} has moved to {new}", DeprecationWarning, stacklevel=stacklevel)
