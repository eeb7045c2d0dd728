"""Grades a trial: what was submitted is judged again, as published and strictly."""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing

from wardround.benchmarks.interact.environments.questions import clarified
from wardround.benchmarks.interact.environments.submissions import submitted
from wardround.benchmarks.interact.environments.trial_state import Case, Submission
from wardround.benchmarks.interact.grader import Mode
from wardround.benchmarks.interact.rewards import Try, reward_of_actions, reward_of_conversation
from wardround.benchmarks.interact.tasks import InteractTask
from wardround.core.benchmark import Score
from wardround.core.trajectory import Called, Said, Trajectory

_REWARDS = {
    "c": reward_of_conversation,
    "clear": reward_of_conversation,
    "a": reward_of_actions,
}

# What a task without a follow-up can earn is all there is to earn (F.2).
_FIRST = 0.7


def score(
    task: InteractTask,
    trajectory: Trajectory,
    mode: str,
    open_case: Callable[[Mode], Case],
    grading: str = "paper",
) -> Score:
    """The reward of a trial in both modes.

    Args:
        task: What was to be done.
        trajectory: What happened.
        mode: Which room it was: "c", "clear" or "a".
        open_case: Gives a fresh database to judge on, "paper" or "strict".
        grading: Which of the two decides what passes.
    """
    published = _judged(list(submitted(trajectory)), open_case("paper"))
    decisive = [one.sql for one in published if one.verdict.passed]
    strict = {one.stage for one in _judged(decisive, open_case("strict")) if one.verdict.passed}
    tries = [Try(one.stage, one.verdict.passed) for one in published]
    strictly = [Try(stage, passed and stage in strict) for stage, passed in tries]
    whole = 1.0 if task.hidden.second else _FIRST
    rewards = {
        "paper": round(_REWARDS[mode](tries) / whole, 3),
        "strict": round(_REWARDS[mode](strictly) / whole, 3),
    }
    decisive_tries = strictly if grading == "strict" else tries
    passed = {stage for stage, right in decisive_tries if right}
    note = published[-1].verdict.reason if published else "nothing was submitted"
    done = passed == ({1, 2} if task.hidden.second else {1})
    return Score(done, rewards, note, measures(task, tries, strictly, trajectory))


def measures(
    task: InteractTask, tries: Sequence[Try], strictly: Sequence[Try], trajectory: Trajectory
) -> dict[str, float]:
    """What the tables count beside rewards (Table 2, Figures 10 to 14), by name.

    `first` and `second` tell whether the request was carried out, with ` at once` where no second
    try was needed and ` strict` by the strict grader. `action NAME` is how often it was taken,
    `turn N NAME` which one a turn was. `cleared KIND` is how many ambiguities of a kind a question
    met, `ambiguities` how many there are, `leaks` what the user nearly gave away.
    """
    asked = list(clarified(trajectory))
    met = {one.term for one in asked if one.action == "AMB"}
    kinds = Counter(one.kind for one in task.hidden.ambiguities if one.term in met)
    taken = [name for event in trajectory.events if (name := _action(event))]
    return {
        **_of_request("first", 1, tries, strictly),
        **(_of_request("second", 2, tries, strictly) if task.hidden.second else {}),
        **{f"action {name}": float(count) for name, count in Counter(taken).items()},
        **{f"turn {turn} {name}": 1.0 for turn, name in enumerate(taken, start=1)},
        **{f"cleared {kind}": float(count) for kind, count in kinds.items()},
        "ambiguities": float(len(task.hidden.ambiguities)),
        "leaks": float(sum(one.leaks for one in asked)),
    }


def _of_request(
    name: str, stage: int, tries: Sequence[Try], strictly: Sequence[Try]
) -> dict[str, float]:
    results = [passed for of, passed in tries if of == stage]
    return {
        name: float(True in results),
        f"{name} at once": float(results[:1] == [True]),
        f"{name} strict": float(any(passed for of, passed in strictly if of == stage)),
    }


def _judged(statements: Sequence[str], case: Case) -> list[Submission]:
    with closing(case):
        case.open()
        for sql in statements:
            if not case.done:
                case.submit(sql)
    return case.submissions


def _action(event: object) -> str:
    """The action's name; a question that is simply said is one too."""
    if isinstance(event, Called):
        return event.tool
    return "ask" if isinstance(event, Said) and event.speaker == "agent" else ""
