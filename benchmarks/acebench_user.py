"""What ACEBench's derived offline user tells an agent that asks: over the tasks that it can play, and over all.

python benchmarks/acebench_user.py --root ../ACEBench

The agent knows the gold calls. Before each it asks for the arguments that nobody has said, no tool has returned and no
tool can find; then it makes the call. A task counts as told when all of them came. Without ``--root`` the variable
``ACEBENCH_ROOT`` counts.
"""

from __future__ import annotations

import argparse

from smallest import add_smoke

from mua_env.core.messages import AssistantMessage, FunctionCall, ToolCall
from mua_env.core.tasks import Action, Task
from mua_env.envs.acebench.checkout import root_folder
from mua_env.envs.acebench.derived_user import holds, leaves, plain, surroundings
from mua_env.envs.acebench.stage import ACEStage
from mua_env.episode.session import Session
from mua_env.episode.setting import load_setting
from mua_env.errors import TaskError
from mua_env.users.agenda.user import AgendaUser

TRIES = 3


def unheard(heard: str, action: Action) -> list[str]:
    """Names of the arguments whose values were not heard."""
    return [name for name, value in action.arguments.items() if not all(holds(heard, each) for each in leaves(value))]


def play(session: Session, task: Task, around: str) -> tuple[int, float]:
    """One dialogue: how many arguments were never heard, and the reward."""
    heard = f"{around} {session.start(task).messages[-1].content}"
    lacking = 0
    for number, action in enumerate(task.actions):
        for attempt in range(TRIES + 1):
            names = unheard(plain(heard), action)
            if not names or session.episode.ended_by:
                break
            words = " and ".join(name.replace("_", " ") for name in names)
            question = f"What is the {words}?" if attempt < TRIES else "Is there anything else?"
            heard += " " + " ".join(m.content or "" for m in session.send(question).messages)
        lacking += len(unheard(plain(heard), action))
        if session.episode.ended_by:
            break
        call = ToolCall(id=str(number), function=FunctionCall(name=action.name, arguments=action.arguments))
        heard += " " + " ".join(m.content or "" for m in session.send(AssistantMessage(tool_calls=(call,))).messages)
    while not session.episode.ended_by:
        session.send("It is done. Is there anything else?")
    score = session.score
    return lacking, 0.0 if score is None or score.reward is None else score.reward


def main() -> None:
    """Play each task once and print the shares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", help="checkout of ACEBench")
    add_smoke(parser)
    options = parser.parse_args()
    try:
        root = root_folder(options.root)
    except TaskError as error:
        if not options.smoke:
            raise
        print(f"Nothing is measured: {error}")
        return
    whole = load_setting("acebenchagent", "multi_turn", path=root).tasks
    setting = load_setting("acebenchagent", "multi_turn:user=derived", path=root)
    session = Session(setting, AgendaUser())
    stage = ACEStage(root, mode="compat")
    found = {
        task.id: play(session, task, surroundings(task, stage))
        for task in list(setting.tasks)[: 3 if options.smoke else None]
    }
    session.close()
    for name, (lacking, reward) in found.items():
        if lacking or reward < 1:
            print(f"{name}: {lacking} arguments were not told, reward {reward:g}")
    told = sum(not lacking for lacking, _ in found.values())
    right = sum(reward == 1 for _, reward in found.values())
    print(
        f"{len(setting.tasks)} of {len(whole)} tasks can be played; of {len(found)} that were, the user told all in "
        f"{told}, and the gold calls got reward 1 in {right} ({setting.tasks.source_revision})"
    )


if __name__ == "__main__":
    main()
