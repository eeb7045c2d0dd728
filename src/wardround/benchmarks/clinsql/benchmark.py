"""ClinSQL as a benchmark: opened on a MIMIC-IV database, it runs and grades cohort queries."""

from asyncio import to_thread
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from wardround.benchmarks.clinsql import scorer
from wardround.benchmarks.clinsql.briefing import briefing, refinements_of
from wardround.benchmarks.clinsql.declaration import BENCHMARK, CohortOptions
from wardround.benchmarks.clinsql.environment import CohortEnvironment
from wardround.benchmarks.clinsql.execution import Execution, Executions
from wardround.benchmarks.clinsql.gold_defects import gold_defects, is_made
from wardround.benchmarks.clinsql.item_folders import load_items, shipped_items
from wardround.benchmarks.clinsql.judge import Candidate, Judge, is_local, results_candidate
from wardround.benchmarks.clinsql.oracle import oracle
from wardround.benchmarks.clinsql.program_verdicts import (
    ProgramGrader,
    ran_verdict,
    undecided_leaves,
)
from wardround.benchmarks.clinsql.query_costs import cost_sentence
from wardround.benchmarks.clinsql.sql_grader import SqlGrader, answer_verdicts
from wardround.benchmarks.clinsql.submissions import final_sql
from wardround.benchmarks.clinsql.tasks import TREES, ClinTask, Tree, leaf_item
from wardround.benchmarks.clinsql.tools import looking_tools, submit_tool
from wardround.core.benchmark import (
    AgentMaker,
    Explanation,
    GoldDefects,
    JudgeContext,
    Prediction,
    Score,
    Summary,
    TrialContext,
    Validation,
)
from wardround.core.declaration import Opening
from wardround.core.errors import UserError
from wardround.core.record import Outcome, TrialRecord
from wardround.core.task import EVERY_TASK, Chosen, Defect, Suite
from wardround.core.tools import Toolbox
from wardround.core.trajectory import Trajectory
from wardround.core.verdict import Verdict
from wardround.ehr.database import Database, open_database
from wardround.scoring.rubrics.tree import RubricNode

SHIPPED_DATABASE = "hospital"


class CohortBenchmark:
    """The benchmark, open. Trials share its database, which is read only."""

    name = BENCHMARK.name
    declaration = BENCHMARK

    def __init__(self, database: Database, judge: Judge | None, opening: Opening) -> None:
        self._executions = Executions(database, opening.limits.statement_seconds)
        self._options: CohortOptions = opening.options
        self._limits = opening.limits
        self._opening = opening
        self._judge = judge
        self._queries = SqlGrader(self._executions, hospitals=self._options.cohort_hospitals)
        self._programs = ProgramGrader(self._executions, self._options.band, self._queries.decide)
        self._tools = Toolbox(_tools(self._options.regime, self._executions, opening))

    @classmethod
    def open(cls, opening: Opening) -> Self:
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
        judge = _open_judge(opening)
        [place] = places
        return cls(open_database(in_dialect(place)), judge, opening)

    @staticmethod
    def read(source: Path | None) -> Suite:
        """The items of a published folder, or the shipped ones."""
        return load_items(source) if source else shipped_items()

    def load(self, source: Path | None, chosen: Chosen = EVERY_TASK) -> Suite:
        """Reads tasks, of one split, scenario or level if the options name one.

        Raises:
            UserError: there is no such folder, or no item is left.
        """
        wanted = self._options.model_dump(include={"split", "scenario", "level"}, exclude_none=True)
        suite = self.read(source)
        tasks = tuple(t for t in suite.tasks if wanted.items() <= t.labels.items())
        if not tasks:
            named = ", ".join(f"{name} {value}" for name, value in wanted.items())
            raise UserError(f"{suite.source} has no item of {named}; check the options.")
        return chosen.of(Suite(tasks, suite.defects, suite.source, suite.known))

    async def environment(self, task: ClinTask, context: TrialContext) -> CohortEnvironment:
        """The environment of one attempt."""
        options = self._options
        executions = self._executions.hiding(task.hidden.anchor)
        return CohortEnvironment(
            briefing(options, self._tools, self._limits, task.hidden),
            task.public.question,
            Toolbox(_tools(options.regime, executions, self._opening)),
            executions,
            refinements=refinements_of(options.regime),
            refine_empty=options.refine_empty,
        )

    async def validate(
        self, task: ClinTask, trajectory: Trajectory, context: TrialContext
    ) -> Validation:
        """Nobody is played, so every attempt counts."""
        return Validation()

    async def judge(
        self, task: ClinTask, trajectory: Trajectory, context: JudgeContext
    ) -> AsyncIterator[Verdict]:
        """Whether the query ran, then a verdict on each leaf of both rubrics."""
        sql = final_sql(trajectory)
        if not sql:
            return
        outcome = await to_thread(self._executions.hiding(task.hidden.anchor).of, sql)
        yield ran_verdict(task, sql, outcome)
        decided: set[str] = set()
        if self._options.verdicts != "judge":
            graded = await to_thread(lambda: self._graded(task, sql, outcome))
            decided |= {verdict.item for verdict in graded}
            for verdict in graded:
                yield verdict
        if self._judge is not None:
            for tree in TREES:
                candidate = _candidate(task, tree, sql, outcome)
                leaves = _open_leaves(task, tree, decided)
                decided |= {leaf_item(tree, leaf.id) for leaf in leaves}
                async for verdict in self._judge.verdicts(task, tree, leaves, candidate, context):
                    yield verdict
        for verdict in undecided_leaves(task, sql, decided):
            yield verdict

    @staticmethod
    def score(task: ClinTask, trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Score:
        """Both rubrics folded by every grading."""
        return scorer.score(task, trajectory, verdicts)

    @staticmethod
    def explain(task: ClinTask, trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Explanation:
        """The question and gold beside the graded query, with the leaves that failed."""
        return scorer.explanation(task, trajectory, verdicts)

    def estimated_cost(self, tasks: Sequence[ClinTask]) -> str:
        """What queries as costly as the golds cost, on an engine that charges for reading."""
        return cost_sentence(self._executions.database, tasks)

    @staticmethod
    def summarize(trials: Sequence[TrialRecord]) -> Summary:
        """The paper's tables of a run."""
        from wardround.benchmarks.clinsql.report import summarize  # not needed to run trials

        return summarize(trials)

    @staticmethod
    def compare(runs: Sequence[tuple[Mapping[str, Any], Sequence[TrialRecord]]]) -> Summary:
        """The paper's tables over several runs."""
        from wardround.benchmarks.clinsql.comparison import compare  # not needed to run trials

        return compare(runs)

    @staticmethod
    def predictions(trajectories: Iterable[tuple[str, Trajectory]]) -> dict[str, Prediction]:
        """The graded queries, by task id."""
        found = {id: final_sql(trajectory) for id, trajectory in trajectories}
        return {id: Prediction(sql) for id, sql in found.items() if sql}

    def oracle(self, task: ClinTask) -> AgentMaker:
        """Agents that know this task's gold."""
        return oracle(task)

    @staticmethod
    def gold_defects(task: ClinTask, outcome: Outcome, failure: str) -> GoldDefects:
        """The faults of a task's gold: errors of a made task, known ones of a published task.

        A published gold whose leaves are undecided has no fault by that.
        """
        found = tuple(gold_defects(task))
        if is_made(task):
            return GoldDefects(errors=(*found, *_defect(task, failure)))
        failed = failure if outcome is not Outcome.UNSCORED else ""
        return GoldDefects(known=(*found, *_defect(task, failed)))

    def fingerprints(self) -> dict[str, str]:
        """The database's content hash, by its name."""
        database = self._executions.database
        return {database.name: database.fingerprint()}

    def training_databases(self) -> dict[str, str]:
        """None: no agent learns from cohort questions."""
        return {}

    def close(self) -> None:
        """Closes the database."""
        self._queries.close()
        self._executions.database.close()

    def _graded(self, task: ClinTask, sql: str, outcome: Execution) -> list[Verdict]:
        """The verdicts of programs, and the measures that they take."""
        graded = list(self._programs.verdicts(task, sql, outcome))
        if outcome.succeeded:
            graded += self._queries.verdicts(task, sql, outcome)
            graded += answer_verdicts(task, sql, graded)
        return graded


def _shipped_database() -> dict[str, str]:
    """The hospital of the shipped items by name; its file is made on first use."""
    from wardround.ehr.hospital import default_cohort_hospital

    return {SHIPPED_DATABASE: str(default_cohort_hospital())}


def _tools(regime: str, executions: Executions, opening: Opening) -> list[Any]:
    looking = looking_tools(
        executions.database, opening.limits.statement_seconds, executions.remember
    )
    return [*(looking if regime == "tools" else ()), submit_tool()]


def _defect(task: ClinTask, failure: str) -> tuple[Defect, ...]:
    return (Defect(task.id, failure),) if failure else ()


def _open_leaves(task: ClinTask, tree: Tree, decided: set[str]) -> list[RubricNode]:
    leaves = task.hidden.rubric(tree).leaves()
    return [leaf for leaf in leaves if leaf_item(tree, leaf.id) not in decided]


def _candidate(task: ClinTask, tree: Tree, sql: str, outcome: Execution) -> Candidate:
    if tree == "sql":
        return Candidate(sql, task.hidden.sql)
    return results_candidate(outcome.csv, task.hidden.result)


def in_dialect(place: str) -> str:
    """The location as one that takes BigQuery's dialect."""
    return place if place.startswith(("bigquery:", "googlesql:")) else f"googlesql:{place}"


def _open_judge(opening: Opening) -> Judge | None:
    options: CohortOptions = opening.options
    model = opening.models.find("judge") if options.verdicts != "program" else None
    if model is None:
        return None
    if not (options.judge_sees_data or is_local(model.settings)):
        raise UserError(
            f"The judge {model.settings.name} runs on another machine and would receive patients' "
            "rows; allow it with --judge-sees-data, or name a judge on this machine."
        )
    return Judge(model, options.votes, options.judge_call == "tree")
