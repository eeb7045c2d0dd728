"""Scores a trial from the verdicts of the program and the judge."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from wardround.benchmarks.fhiragentbench.declaration import PAPER, STRICT
from wardround.benchmarks.fhiragentbench.environment import ENDED, LIMIT
from wardround.benchmarks.fhiragentbench.grades import (
    final_answer,
    notes,
    retrieval_grades,
    retrieved_ids,
)
from wardround.benchmarks.fhiragentbench.judge import ITEM, SOURCE
from wardround.benchmarks.fhiragentbench.tasks import FhirTask
from wardround.benchmarks.fhiragentbench.tools import PROGRAM
from wardround.benchmarks.kit.agent_texts import as_json
from wardround.core.benchmark import Explanation, Score
from wardround.core.trajectory import Trajectory
from wardround.core.verdict import Verdict, program_source

COMPARISON = program_source("comparison")
SQL = "sql"


@dataclass(frozen=True, slots=True)
class FhirMeasures:
    """Measures of a trial; None where one is not defined.

    Attributes:
        answered: the agent gave an answer.
        iteration_limit: it used all of its calls and messages.
        retrieved: resources that its tools returned.
        programs: programs that it ran.
        failed_programs: those that ended with an error.
        recall: 1 if it retrieved all true resources.
        precision: the share of true ones among the resources retrieved of their types.
        compared: the comparison finds the answer right.
        judged: the judge finds it correct; None without a judge.
        file_agrees: the file has the answer that the question's SQL gives; None if it was not run.
    """

    answered: bool
    iteration_limit: bool
    retrieved: int
    programs: int
    failed_programs: int
    recall: float | None
    precision: float | None
    compared: bool
    judged: bool | None
    file_agrees: bool | None


def score(task: FhirTask, trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Score:
    """The grades of a trial; where nothing is true, retrieval does not count in `strict`."""
    measures = _measures(task, trajectory, verdicts)
    judged = measures.compared if measures.judged is None else measures.judged
    retrieved = measures.recall is None or measures.recall == 1
    passed = {STRICT: measures.compared and retrieved, PAPER: judged}
    rewards = {name: float(value) for name, value in passed.items()}
    return Score(passed, rewards, _failure(measures), asdict(measures))


def explanation(task: FhirTask, trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Explanation:
    """The question, its gold, and the agent's answer and retrieval."""
    expected = next((v.evidence for v in verdicts if v.source == COMPARISON), "")
    measures = _measures(task, trajectory, verdicts)
    reached = {"recall": measures.recall, "precision": measures.precision}
    gold = as_json({"answer": expected, "resources": task.hidden.resources})
    answer = final_answer(trajectory) or ""
    return Explanation(task.public.text, gold, answer, f"{_failure(measures)} {as_json(reached)}")


def _measures(task: FhirTask, trajectory: Trajectory, verdicts: Sequence[Verdict]) -> FhirMeasures:
    retrieved = retrieved_ids(trajectory)
    grades = retrieval_grades(task.hidden.resources, retrieved)
    programs = notes(trajectory, PROGRAM)
    return FhirMeasures(
        answered=final_answer(trajectory) is not None,
        iteration_limit=any(note["reason"] == LIMIT for note in notes(trajectory, ENDED)),
        retrieved=sum(map(len, retrieved.values())),
        programs=len(programs),
        failed_programs=sum(note["failed"] for note in programs),
        recall=grades.recall,
        precision=grades.precision,
        compared=bool(_passed(verdicts, ITEM, COMPARISON)),
        judged=_passed(verdicts, ITEM, SOURCE),
        file_agrees=_passed(verdicts, SQL, program_source(SQL)),
    )


def _passed(verdicts: Sequence[Verdict], item: str, source: str) -> bool | None:
    """The last verdict of a source; None without one."""
    found = [v.passed for v in verdicts if v.item == item and v.source == source]
    return found[-1] if found else None


def _failure(measures: FhirMeasures) -> str:
    if measures.iteration_limit:
        return "It reached the limit of iterations."
    if not measures.answered:
        return "It ended without an answer."
    if not measures.compared:
        return "The answer is not the expected one."
    return "" if measures.recall in (None, 1) else "Not all true resources were retrieved."
