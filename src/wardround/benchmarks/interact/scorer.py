"""The score of a trial, from the verdicts on its submissions."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from wardround.benchmarks.interact.measures import InteractMeasures, RequestMeasures
from wardround.benchmarks.interact.prices import FIRST_ALONE, STAGES
from wardround.benchmarks.interact.submissions import source_of, submitted
from wardround.benchmarks.interact.tasks import InteractTask
from wardround.core.benchmark import Score
from wardround.core.trajectory import Called, Said, Trajectory
from wardround.core.verdict import Verdict
from wardround.people.clarifying.kinds import in_order
from wardround.people.clarifying.questions import clarified


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
    wanted = set(STAGES if task.hidden.second else STAGES[:1])
    whole = 1.0 if task.hidden.second else FIRST_ALONE
    return Score(
        {"paper": paper.keys() == wanted, "strict": strict.keys() == wanted},
        {"paper": _reward(paper, whole), "strict": _reward(strict, whole)},
        tries[-1].paper.reason if tries else "nothing was submitted",
        asdict(measures(task, tries, trajectory)),
    )


def measures(task: InteractTask, tries: Sequence[Try], trajectory: Trajectory) -> InteractMeasures:
    """Measures of a trial for the tables beside rewards (Table 2, Figures 10 to 14)."""
    replies = list(clarified(trajectory))
    met = {reply.term for reply in replies if reply.action == "AMB"}
    return InteractMeasures(
        first=_request("first", tries),
        second=_request("second", tries),
        actions=tuple(name for event in trajectory.events if (name := _action(event))),
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


def _action(event: object) -> str:
    """The action's name; a question in plain text counts as one."""
    if isinstance(event, Called):
        return event.tool
    return "ask" if isinstance(event, Said) and event.speaker == "agent" else ""
