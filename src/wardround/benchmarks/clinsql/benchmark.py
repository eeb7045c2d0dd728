"""ClinSQL as a benchmark: opened on a MIMIC-IV database, it runs and grades cohort queries."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from wardround.benchmarks.clinsql import scorer
from wardround.benchmarks.clinsql.briefing import briefing, refinements_of
from wardround.benchmarks.clinsql.declaration import BENCHMARK, CohortOptions
from wardround.benchmarks.clinsql.environment import CohortEnvironment
from wardround.benchmarks.clinsql.execution import Executions
from wardround.benchmarks.clinsql.gold.defects import gold_review, stopped_gold
from wardround.benchmarks.clinsql.items.item import ClinTask
from wardround.benchmarks.clinsql.judge import (
    Graders,
    GradingModels,
    grading_models,
    verdicts,
)
from wardround.benchmarks.clinsql.layouts import layout_of
from wardround.benchmarks.clinsql.oracle import oracle
from wardround.benchmarks.clinsql.record_database import cost_sentence, open_records, query_checker
from wardround.benchmarks.clinsql.tasks import chosen_items, load_tasks, rubric_parts, shipped_tasks
from wardround.benchmarks.clinsql.tools import SUBMIT, final_sql, looking_tools, submit_tool
from wardround.benchmarks.kit.constant_queries import constant_query
from wardround.core.actions import Action, Call
from wardround.core.benchmark import (
    AgentMaker,
    JudgeContext,
    Score,
    Summary,
    TrialContext,
)
from wardround.core.capabilities import Explanation, GoldDefects, Prediction
from wardround.core.conversation import RubricPart
from wardround.core.declaration import Opening
from wardround.core.errors import UserError
from wardround.core.harms import Harm
from wardround.core.limits import Limits
from wardround.core.record import Outcome, TrialRecord
from wardround.core.task import EVERY_TASK, Briefing, Chosen, Suite
from wardround.core.tools import Toolbox
from wardround.core.trajectory import Trajectory
from wardround.core.trial import FinishedTrial
from wardround.core.verdict import Verdict
from wardround.ehr.database import Database
from wardround.models.roles import Models

SHIPPED_DATABASE = "hospital"


class CohortBenchmark:
    """The benchmark, open. Trials share its database, which is read only.

    Attributes:
        executions: runs queries on its database.
    """

    declaration = BENCHMARK

    def __init__(
        self, database: Database, models: GradingModels, opening: Opening[CohortOptions, Models]
    ) -> None:
        self.executions = Executions(database, opening.limits.statement_seconds)
        self._layout = layout_of(database)
        self._options = opening.options
        self._limits = opening.limits
        self._graders = Graders(self.executions, self._options, models)
        self._tools = Toolbox(_tools(self._options.regime, self.executions, opening.limits))

    @classmethod
    def open(cls, opening: Opening[CohortOptions, Models]) -> Self:
        """Opens the benchmark as a run is set.

        Raises:
            UserError: there is not exactly one database, it cannot be opened, or a judge on
                another machine would receive patients' rows without leave.
        """
        places = list((opening.databases or _shipped_database()).values())
        if len(places) != 1:
            raise UserError(
                f"ClinSQL asks about one database, and {len(places)} were given; name "
                "a DuckDB file in MIMIC-IV's layout, or a BigQuery location, with --database."
            )
        models = grading_models(opening)
        [location] = places
        return cls(open_records(location), models, opening)

    @staticmethod
    def read(source: Path | None) -> Suite:
        """The items of a published folder, or the shipped ones."""
        return load_tasks(source) if source else shipped_tasks()

    def load(self, source: Path | None, chosen: Chosen = EVERY_TASK) -> Suite:
        """Reads tasks, of one split, scenario or level if the options name one.

        Raises:
            UserError: there is no such folder, or no item is left.
        """
        suite = self.read(source)
        tasks = tuple(chosen_items(suite, self._options).values())
        return chosen.of(replace(suite, tasks=tasks))

    async def environment(self, task: ClinTask, context: TrialContext) -> CohortEnvironment:
        """The environment of one attempt."""
        options = self._options
        executions = self.executions.hiding(task.hidden.anchor)
        return CohortEnvironment(
            briefing(options, self._tools, self._limits, task.hidden, self._layout),
            task.public.question,
            Toolbox(_tools(options.regime, executions, self._limits)),
            executions,
            refinements=refinements_of(options.regime),
            refine_empty=options.refine_empty,
        )

    def judge(
        self, task: ClinTask, trajectory: Trajectory, context: JudgeContext
    ) -> AsyncIterator[Verdict]:
        """Yields a verdict on the run of the query, then one on each leaf of both rubrics."""
        return verdicts(task, trajectory, self._graders, context)

    @staticmethod
    def score(task: ClinTask, trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Score:
        """Both rubrics folded by every grading."""
        return scorer.score(task, trajectory, verdicts)

    @staticmethod
    def explain(task: ClinTask, trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Explanation:
        """The question and gold beside the graded query, with the leaves that failed."""
        return scorer.explanation(task, trajectory, verdicts)

    @staticmethod
    def rubrics(task: ClinTask) -> Sequence[RubricPart]:
        """Both rubrics of the task."""
        return rubric_parts(task.hidden)

    def estimated_cost(self, tasks: Sequence[ClinTask]) -> str:
        """The cost of queries like the golds, on an engine that charges for reading."""
        return cost_sentence(self.executions.database, tasks)

    @staticmethod
    def harms(trials: Sequence[TrialRecord]) -> Mapping[tuple[str, int], Mapping[Harm, bool]]:
        """Tells which results mislead."""
        return scorer.harms(trials)

    @staticmethod
    def answer(briefing: Briefing, text: str) -> Sequence[Action]:
        """Submits a text as a constant."""
        return [Call(SUBMIT, {"query": constant_query(text)})]

    @staticmethod
    def summarize(trials: Sequence[TrialRecord]) -> Summary:
        """The paper's tables of a run."""
        from wardround.benchmarks.clinsql.report import summarize

        return summarize(trials)

    @staticmethod
    def compare(runs: Sequence[tuple[Mapping[str, Any], Sequence[TrialRecord]]]) -> Summary:
        """The paper's tables over several runs."""
        from wardround.benchmarks.clinsql.comparison import compare  # not needed to run trials

        return compare(runs)

    @staticmethod
    def predictions(trajectories: Iterable[tuple[str, Trajectory]]) -> dict[str, Prediction]:
        """The graded queries, by task id."""
        queries = {id: final_sql(trajectory) for id, trajectory in trajectories}
        return {id: Prediction(sql) for id, sql in queries.items() if sql}

    def oracle(self, task: ClinTask) -> AgentMaker:
        """Agents that know this task's gold."""
        return oracle(task)

    def gold_defects(self, trial: FinishedTrial, failure: str) -> GoldDefects:
        """The faults of a task's gold."""
        task: ClinTask = trial.task
        outcome = trial.last.outcome or Outcome.UNSCORED
        ran = self.executions.hiding(task.hidden.anchor).of(task.hidden.sql)
        stopped = stopped_gold(self.executions.seconds) if ran.kind == "timeout" else ""
        return gold_review(task, outcome, failure, stopped)

    def fingerprints(self) -> dict[str, str]:
        """The database's content hash, by its name."""
        database = self.executions.database
        return {database.name: database.fingerprint()}

    def versions(self) -> dict[str, str]:
        """The program that refuses what BigQuery refuses."""
        return {"query check": query_checker(self.executions.database)}

    def close(self) -> None:
        """Closes the database."""
        self._graders.close()
        self.executions.database.close()


def _shipped_database() -> dict[str, str]:
    """The hospital of the shipped items by name; its file is made on first use."""
    from wardround.ehr.hospital import default_cohort_hospital

    return {SHIPPED_DATABASE: str(default_cohort_hospital())}


def _tools(regime: str, executions: Executions, limits: Limits) -> list[Any]:
    looking = looking_tools(executions.database, limits.statement_seconds, executions.remember)
    return [*(looking if regime == "tools" else ()), submit_tool()]
