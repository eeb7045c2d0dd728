"""The score of a trial from the verdicts on its submissions, and its measures for reports."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

from wardround.benchmarks.interact.declaration import MODES
from wardround.benchmarks.interact.failures.causes import failure_cause, wrote_wrongly
from wardround.benchmarks.interact.prices import ASK, FIRST_ALONE
from wardround.benchmarks.interact.tasks import InteractTask
from wardround.benchmarks.kit.measures import measured
from wardround.benchmarks.kit.submissions import submitted
from wardround.core.actions import Call
from wardround.core.benchmark import Score
from wardround.core.capabilities import Explanation
from wardround.core.harms import Harm
from wardround.core.record import TrialRecord
from wardround.core.trajectory import Trajectory
from wardround.core.verdict import Verdict, program_source
from wardround.people.clarifying.kinds import in_order
from wardround.people.clarifying.questions.recorded import clarified

_NOTHING = "nothing was submitted"


_AMBIGUITY, _SUBMIT = "ambiguity:", "submit"


@dataclass(frozen=True, slots=True)
class RequestMeasures:
    """Measures of one of the two requests.

    Attributes:
        passed: True if a submission passed.
        at_once: True if the first submission passed.
        strict: True if a submission passed strictly.
    """

    passed: bool = False
    at_once: bool = False
    strict: bool = False


@dataclass(frozen=True, slots=True)
class InteractMeasures:
    """Measures of a trial (Table 2, Figures 10 to 14).

    Attributes:
        first: the first request.
        second: the follow-up; all False for a task without one.
        actions: the names of the actions, in order.
        asked_about: the kinds of ambiguity that the agent asked about.
        leaks: the number of leaks of gold removed from the user's replies.
        failure: the cause of a failure (M); "" for a trial that passed.
        wrong_write: True if a submission wrote something wrong or unasked; None if not known.
    """

    first: RequestMeasures
    second: RequestMeasures
    actions: tuple[str, ...]
    asked_about: tuple[str, ...]
    leaks: int
    failure: str = ""
    wrong_write: bool | None = None

    def request(self, stage: str) -> RequestMeasures:
        """Returns the measures of a stage's request."""
        return self.first if stage == "first" else self.second


@dataclass(frozen=True, slots=True)
class Try:
    """A submission with its published verdict; `strict` is True if it passed in both modes."""

    stage: str
    sql: str
    paper: Verdict
    strict: bool


def score(task: InteractTask, trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Score:
    """Scores a trial by published and strict grading."""
    tries = list(_tries(trajectory, verdicts))
    points = {
        "paper": _points([each for each in tries if each.paper.passed]),
        "strict": _points([each for each in tries if each.strict]),
    }
    requests = task.hidden.requests
    whole = FIRST_ALONE if len(requests) == 1 else 1.0
    return Score(
        {mode: earned.keys() == requests.keys() for mode, earned in points.items()},
        {mode: round(sum(earned.values()) / whole, 3) for mode, earned in points.items()},
        tries[-1].paper.reason if tries else _NOTHING,
        asdict(measures(task, tries, trajectory)),
    )


def explanation(
    task: InteractTask, trajectory: Trajectory, verdicts: Sequence[Verdict]
) -> Explanation:
    """Shows the first failed request and its gold beside the last submission for it."""
    tries = list(_tries(trajectory, verdicts))
    requests = task.hidden.requests
    failed = requests.keys() - {attempt.stage for attempt in tries if attempt.strict}
    stage = next((stage for stage in requests if stage in failed), "first")
    last = next((attempt for attempt in reversed(tries) if attempt.stage == stage), None)
    return Explanation(
        request=requests[stage].request,
        gold=";\n".join(requests[stage].gold),
        attempt=last.sql if last else "",
        difference=last.paper.evidence or last.paper.reason if last else _NOTHING,
    )


def measures(task: InteractTask, tries: Sequence[Try], trajectory: Trajectory) -> InteractMeasures:
    """Computes the measures of a trial."""
    replies = list(clarified(trajectory))
    met = {reply.term for reply in replies if reply.action == "AMB"}
    requests = task.hidden.requests
    written = ((requests[each.stage].gold, each.sql, each.paper, each.strict) for each in tries)
    return InteractMeasures(
        first=_request("first", tries),
        second=_request("second", tries),
        # A question in plain text counts as `ask`.
        actions=tuple(a.tool if isinstance(a, Call) else ASK for a in trajectory.actions()),
        asked_about=in_order(point.kind for point in task.hidden.ambiguities if point.term in met),
        leaks=sum(reply.leaks for reply in replies),
        failure=failure_cause(task, [(t.stage, t.sql, t.paper) for t in tries], met),
        wrong_write=wrote_wrongly(written),
    )


def _request(stage: str, tries: Sequence[Try]) -> RequestMeasures:
    tries_of_stage = [attempt for attempt in tries if attempt.stage == stage]
    return RequestMeasures(
        passed=any(attempt.paper.passed for attempt in tries_of_stage),
        at_once=bool(tries_of_stage) and tries_of_stage[0].paper.passed,
        strict=any(attempt.strict for attempt in tries_of_stage),
    )


def _tries(trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Iterator[Try]:
    by_item = {(verdict.item, verdict.source): verdict for verdict in verdicts}
    for submission in submitted(trajectory):
        paper, strict = (by_item[submission.item, program_source(mode)] for mode in MODES)
        yield Try(submission.stage, submission.sql, paper, paper.passed and strict.passed)


def _points(passed: Sequence[Try]) -> dict[str, float]:
    """Points by request, of the first submission that passed."""
    return {attempt.stage: attempt.paper.points for attempt in reversed(passed)}


def harms(trials: Sequence[TrialRecord]) -> Mapping[tuple[str, int], Mapping[Harm, bool]]:
    """The harms of each scored trial: a guess that fails, and what was written wrongly.

    An agent that submits nothing guesses nothing. Unknown measures are left out.
    """
    return {each.record.key: _harms(each.measures) for each in measured(trials, InteractMeasures)}


def _harms(seen: InteractMeasures) -> Mapping[Harm, bool]:
    is_ignored = seen.failure.startswith(_AMBIGUITY) and _SUBMIT in seen.actions
    written = {} if seen.wrong_write is None else {Harm.WRONG_WRITE: seen.wrong_write}
    return {**written, Harm.AMBIGUITY_IGNORED: is_ignored}
