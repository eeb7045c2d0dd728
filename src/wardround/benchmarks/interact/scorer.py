"""Grades a trial: what was submitted is judged again, as published and strictly."""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict

from wardround.benchmarks.interact.environments.questions import clarified
from wardround.benchmarks.interact.environments.submissions import submitted
from wardround.benchmarks.interact.environments.trial_state import Case, Submission
from wardround.benchmarks.interact.grader import Mode
from wardround.benchmarks.interact.kinds import in_order
from wardround.benchmarks.interact.measures import InteractMeasures, RequestMeasures
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
    task: InteractTask, trajectory: Trajectory, mode: str, open_case: Callable[[Mode], Case]
) -> Score:
    """The reward of a trial in both modes.

    Args:
        task: What was to be done.
        trajectory: What happened.
        mode: Which room it was: "c", "clear" or "a".
        open_case: Gives a fresh database to judge on, "paper" or "strict".
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
    passed = {stage for stage, right in tries if right}
    note = published[-1].verdict.reason if published else "nothing was submitted"
    done = passed == ({1, 2} if task.hidden.second else {1})
    found = asdict(measures(task, tries, strictly, trajectory))
    return Score(done, rewards, note, found)


def measures(
    task: InteractTask, tries: Sequence[Try], strictly: Sequence[Try], trajectory: Trajectory
) -> InteractMeasures:
    """What the tables count beside rewards (Table 2, Figures 10 to 14)."""
    replies = list(clarified(trajectory))
    met = {reply.term for reply in replies if reply.action == "AMB"}
    return InteractMeasures(
        first=_request(1, tries, strictly),
        second=_request(2, tries, strictly),
        actions=tuple(name for event in trajectory.events if (name := _action(event))),
        asked_about=in_order(one.kind for one in task.hidden.ambiguities if one.term in met),
        leaks=sum(reply.leaks for reply in replies),
    )


def _request(stage: int, tries: Sequence[Try], strictly: Sequence[Try]) -> RequestMeasures:
    results = [passed for of, passed in tries if of == stage]
    return RequestMeasures(
        passed=True in results,
        at_once=results[:1] == [True],
        strict=any(passed for of, passed in strictly if of == stage),
    )


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
