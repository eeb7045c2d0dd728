"""The score of a trial, from the verdicts on its submissions, and its measures for reports."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from wardround.benchmarks.interact.prices import ASK, FIRST_ALONE
from wardround.benchmarks.interact.tasks import InteractTask
from wardround.benchmarks.interact.trial_state import source_of
from wardround.benchmarks.kit.submissions import submitted
from wardround.core.actions import Action, Call
from wardround.core.benchmark import Score
from wardround.core.trajectory import Trajectory
from wardround.core.verdict import Verdict
from wardround.people.clarifying.kinds import in_order
from wardround.people.clarifying.questions import clarified


@dataclass(frozen=True, slots=True)
class RequestMeasures:
    """One of the two requests.

    Attributes:
        passed: whether it was carried out.
        at_once: whether the first submission did it.
        strict: whether it was carried out by the strict grader.
    """

    passed: bool = False
    at_once: bool = False
    strict: bool = False


@dataclass(frozen=True, slots=True)
class InteractMeasures:
    """Measures of a trial (Table 2, Figures 10 to 14).

    Attributes:
        first: the first request.
        second: the follow-up; of a task without one, as if it was not carried out.
        actions: the names of the actions taken, in order.
        asked_about: the kinds of ambiguity that the agent asked about.
        leaks: how often the user nearly gave away gold.
    """

    first: RequestMeasures
    second: RequestMeasures
    actions: tuple[str, ...]
    asked_about: tuple[str, ...]
    leaks: int


@dataclass(frozen=True, slots=True)
class Try:
    """A submission: the request it was for, and its verdicts."""

    stage: str
    paper: Verdict
    strict: Verdict

    @property
    def passed_strictly(self) -> bool:
        """True if it passed in both modes."""
        return self.paper.passed and self.strict.passed


def score(task: InteractTask, trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Score:
    """The reward of a trial as published and the strict attempt."""
    tries = _tries(trajectory, verdicts)
    paper = _earned(tries, [attempt.paper.passed for attempt in tries])
    strict = _earned(tries, [attempt.passed_strictly for attempt in tries])
    wanted = task.hidden.requests.keys()
    whole = 1.0 if task.hidden.second else FIRST_ALONE
    return Score(
        {"paper": paper.keys() == wanted, "strict": strict.keys() == wanted},
        {"paper": _reward(paper, whole), "strict": _reward(strict, whole)},
        tries[-1].paper.reason if tries else "nothing was submitted",
        asdict(measures(task, tries, trajectory)),
    )


def measures(task: InteractTask, tries: Sequence[Try], trajectory: Trajectory) -> InteractMeasures:
    """The measures of a trial."""
    replies = list(clarified(trajectory))
    met = {reply.term for reply in replies if reply.action == "AMB"}
    return InteractMeasures(
        first=_request("first", tries),
        second=_request("second", tries),
        actions=tuple(map(_name, trajectory.actions())),
        asked_about=in_order(point.kind for point in task.hidden.ambiguities if point.term in met),
        leaks=sum(reply.leaks for reply in replies),
    )


def _request(stage: str, tries: Sequence[Try]) -> RequestMeasures:
    own = [attempt for attempt in tries if attempt.stage == stage]
    return RequestMeasures(
        passed=any(attempt.paper.passed for attempt in own),
        at_once=bool(own) and own[0].paper.passed,
        strict=any(attempt.passed_strictly for attempt in own),
    )


def _tries(trajectory: Trajectory, verdicts: Sequence[Verdict]) -> list[Try]:
    found = {(verdict.item, verdict.source): verdict for verdict in verdicts}
    paper, strict = source_of("paper"), source_of("strict")
    return [
        Try(submission.stage, found[submission.item, paper], found[submission.item, strict])
        for submission in submitted(trajectory)
    ]


def _earned(tries: Sequence[Try], passed: Sequence[bool]) -> dict[str, float]:
    """The points of each request that was carried out, those of the first try that did it."""
    done = [attempt for attempt, right in zip(tries, passed, strict=True) if right]
    return {attempt.stage: attempt.paper.points for attempt in reversed(done)}


def _reward(earned: Mapping[str, float], whole: float) -> float:
    return round(sum(earned.values()) / whole, 3)


def _name(action: Action) -> str:
    """The action's name; a question in plain text counts as `ask`."""
    return action.tool if isinstance(action, Call) else ASK
