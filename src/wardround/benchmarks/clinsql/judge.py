"""Grades a trial: verdicts of programs, of the judge, and of the classifier of errors."""

from asyncio import to_thread
from collections.abc import AsyncIterator
from dataclasses import dataclass

from wardround.benchmarks.clinsql.checks.program_verdicts import (
    ProgramGrader,
    ran_verdict,
    undecided_leaves,
)
from wardround.benchmarks.clinsql.checks.queries.vocabulary import vocabulary
from wardround.benchmarks.clinsql.declaration import CohortOptions
from wardround.benchmarks.clinsql.execution import Execution, Executions
from wardround.benchmarks.clinsql.failures.error_classifier import ErrorClassifier
from wardround.benchmarks.clinsql.gold.sql_grader import SqlGrader, answer_verdicts
from wardround.benchmarks.clinsql.items.item import TREES, ClinTask, Tree, leaf_item
from wardround.benchmarks.clinsql.rubric_judge import (
    Candidate,
    Judge,
    is_local,
    results_candidate,
)
from wardround.benchmarks.clinsql.tools import final_sql
from wardround.core.benchmark import JudgeContext
from wardround.core.declaration import Opening
from wardround.core.errors import UserError
from wardround.core.trajectory import Trajectory
from wardround.core.verdict import Verdict
from wardround.models.roles import Models
from wardround.scoring.rubrics.tree import RubricNode


@dataclass(frozen=True, slots=True)
class GradingModels:
    """The models that grade; None for a role without a model."""

    judge: Judge | None = None
    classifier: ErrorClassifier | None = None


def grading_models(opening: Opening[CohortOptions, Models]) -> GradingModels:
    """The models that grade, as a run is set.

    Raises:
        UserError: a judge on another machine would receive patients' rows without leave.
    """
    classifier = opening.models.find("classifier")
    return GradingModels(_judge(opening), ErrorClassifier(classifier) if classifier else None)


class Graders:
    """Deciders of the leaves of both rubrics: programs, comparisons of queries, and models.

    Args:
        executions: runs queries.
        options: the run's options.
        models: the models that grade.

    Attributes:
        executions: runs queries.
        models: the models that grade.
        queries: compares queries and their results with the gold's.
    """

    def __init__(
        self, executions: Executions, options: CohortOptions, models: GradingModels
    ) -> None:
        self.executions = executions
        self.models = models
        self.queries = SqlGrader(executions, hospitals=not options.no_cohort_hospitals)
        self._options = options
        self._programs = ProgramGrader(executions, options.band, self.queries.decide)

    async def on_leaves(
        self, task: ClinTask, sql: str, outcome: Execution, context: JudgeContext
    ) -> AsyncIterator[Verdict]:
        """Yields a verdict on each leaf of both rubrics."""
        decided: set[str] = set()
        if self._options.verdicts != "judge":
            for verdict in await to_thread(self._by_programs, task, sql, outcome):
                decided.add(verdict.item)
                yield verdict
        if self.models.judge is not None:
            for tree in TREES:
                candidate = _candidate(task, tree, sql, outcome)
                leaves = _open_leaves(task, tree, decided)
                decided |= {leaf_item(tree, leaf.id) for leaf in leaves}
                judged = self.models.judge.verdicts(task, tree, leaves, candidate, context)
                async for verdict in judged:
                    yield verdict
        for verdict in undecided_leaves(task, sql, decided):
            yield verdict

    def close(self) -> None:
        """Closes the synthetic hospitals of the comparison of cohorts."""
        self.queries.close()

    def _by_programs(self, task: ClinTask, sql: str, outcome: Execution) -> list[Verdict]:
        """The verdicts of programs, and the measures that they take."""
        graded = list(self._programs.verdicts(task, sql, outcome))
        if outcome.succeeded:
            graded += self.queries.verdicts(task, sql, outcome)
            graded += answer_verdicts(task, sql, graded, vocabulary(self.executions))
        return graded


async def verdicts(
    task: ClinTask, trajectory: Trajectory, graders: Graders, context: JudgeContext
) -> AsyncIterator[Verdict]:
    """Yields whether the query ran and its result is the gold's, leaves, classes of errors."""
    sql = final_sql(trajectory)
    if not sql:
        return
    records = graders.executions.hiding(task.hidden.anchor)
    outcome = await to_thread(records.of, sql)
    stored = [ran_verdict(task, sql, outcome)]
    if task.hidden.is_made and outcome.rows:
        stored.append(await to_thread(graders.queries.result_verdict, task, sql))
    for verdict in stored:
        yield verdict
    async for verdict in graders.on_leaves(task, sql, outcome, context):
        stored.append(verdict)
        yield verdict
    if graders.models.classifier is not None and outcome.rows:
        known = [*stored, *context.known.values()]
        async for verdict in graders.models.classifier.verdicts(task, sql, known, context):
            yield verdict


def _open_leaves(task: ClinTask, tree: Tree, decided: set[str]) -> list[RubricNode]:
    leaves = task.hidden.rubric(tree).leaves()
    return [leaf for leaf in leaves if leaf_item(tree, leaf.id) not in decided]


def _candidate(task: ClinTask, tree: Tree, sql: str, outcome: Execution) -> Candidate:
    if tree == "sql":
        return Candidate(sql, task.hidden.sql)
    return results_candidate(outcome.csv, task.hidden.result)


def _judge(opening: Opening[CohortOptions, Models]) -> Judge | None:
    options = opening.options
    model = opening.models.find("judge") if options.verdicts != "program" else None
    if model is None:
        return None
    if not (options.judge_sees_data or is_local(model.settings)):
        raise UserError(
            f"The judge {model.settings.name} runs on another machine and would receive patients' "
            "rows; allow it with --judge-sees-data, or name a judge on this machine."
        )
    return Judge(model, options.votes, options.judge_call == "tree")
