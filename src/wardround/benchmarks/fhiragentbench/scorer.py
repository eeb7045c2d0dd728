"""Scores a trial: the answer by program and judge, recall and precision of resources."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from wardround.benchmarks.fhiragentbench import answers, resource_scores
from wardround.benchmarks.fhiragentbench.declaration import PAPER, STRICT
from wardround.benchmarks.fhiragentbench.environment import ENDED
from wardround.benchmarks.fhiragentbench.tasks import FhirTask
from wardround.benchmarks.kit.agent_texts import as_json
from wardround.core.benchmark import Score
from wardround.core.capabilities import Explanation
from wardround.core.tools import is_error
from wardround.core.trajectory import Noted, Returned, Trajectory
from wardround.core.verdict import Verdict

CORRECT = "correct"
PROGRAM, JUDGE = "program:values", "model:judge"


@dataclass(frozen=True, slots=True)
class FhirMeasures:
    """Measures of a trial.

    Attributes:
        recall: 1 if all true resources were retrieved; None if it is not defined.
        precision: the share of retrieved resources that are true; None if it is not defined.
        by_program: whether the answer is right by its stated values; None if it states none.
        by_judge: whether it is right for the judge; None without a decision.
        calls: the number of tool calls.
    """

    recall: float | None
    precision: float | None
    by_program: bool | None
    by_judge: bool | None
    calls: int


def score(task: FhirTask, trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Score:
    """The grades of a trial.

    Where a judge decided, `paper` follows it and otherwise the program; `strict` follows the
    program, and the judge where the answer states no values in the form that was asked for. An
    answer before any look at the record earns nothing in `strict`.
    """
    measures = measured(task, trajectory, verdicts)
    program, judge = measures.by_program, measures.by_judge
    retrieved = measures.recall in (None, 1.0) and has_looked(trajectory)
    right = {
        STRICT: bool(program if program is not None else judge),
        PAPER: bool(judge if judge is not None else program),
    }
    passed = {STRICT: right[STRICT] and retrieved, PAPER: right[PAPER]}
    note = "" if passed[STRICT] else _note(right[STRICT], retrieved)
    return Score(passed, {k: float(v) for k, v in passed.items()}, note, asdict(measures))


def measured(task: FhirTask, trajectory: Trajectory, verdicts: Sequence[Verdict]) -> FhirMeasures:
    """The measures of a trial."""
    ids = retrieved_ids(trajectory)
    return FhirMeasures(
        recall=resource_scores.recall(ids, task.hidden.ids),
        precision=resource_scores.precision(ids, task.hidden.ids),
        by_program=_decision(verdicts, PROGRAM),
        by_judge=_decision(verdicts, JUDGE),
        calls=len(trajectory.calls()),
    )


def retrieved_ids(trajectory: Trajectory) -> dict[str, list[str]]:
    """The ids of the resources that were kept, by type."""
    ids: dict[str, list[str]] = _end(trajectory).get("ids", {})
    return ids


def has_looked(trajectory: Trajectory) -> bool:
    """True if a call returned something other than an error."""
    return any(isinstance(e, Returned) and not is_error(e.text) for e in trajectory.events)


def answer_text(trajectory: Trajectory) -> str:
    """The agent's answer; "" if its trial ended otherwise."""
    return str(_end(trajectory).get("answer", ""))


def explanation(task: FhirTask, trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Explanation:
    """The question, the true answer, and the agent's."""
    stated = answers.given_answer(answer_text(trajectory))
    reasons = "\n".join(f"{v.source}: {v.state}" for v in verdicts)
    return Explanation(task.public.request, as_json(task.hidden.answer), as_json(stated), reasons)


def _end(trajectory: Trajectory) -> Mapping[str, Any]:
    ends = (e.data for e in trajectory.events if isinstance(e, Noted) and e.subject == ENDED)
    return next(ends, {})


def _decision(verdicts: Sequence[Verdict], source: str) -> bool | None:
    decided = [v for v in verdicts if v.source == source and v.state != "undecided"]
    return decided[-1].passed if decided else None


def _note(right: bool, retrieved: bool) -> str:
    if right:
        return "not all true resources were retrieved"
    return "the answer is wrong" if retrieved else "the answer is wrong, and resources are missing"
