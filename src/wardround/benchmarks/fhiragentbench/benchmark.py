"""FHIR-AgentBench as a benchmark: opened on a FHIR record, and on a database for its golds."""

from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Self

from wardround.benchmarks.fhiragentbench import prompts, scorer
from wardround.benchmarks.fhiragentbench.declaration import BENCHMARK, FhirAgentOptions
from wardround.benchmarks.fhiragentbench.environment import FhirEnvironment
from wardround.benchmarks.fhiragentbench.judge import NO_ANSWER, Graders, verdicts
from wardround.benchmarks.fhiragentbench.oracle import oracle
from wardround.benchmarks.fhiragentbench.scorer import answer_text
from wardround.benchmarks.fhiragentbench.tasks import (
    RESOURCE_TYPES,
    FhirTask,
    load_tasks,
    shipped_tasks,
)
from wardround.benchmarks.kit.databases import only_database
from wardround.core.actions import Action, Say
from wardround.core.benchmark import (
    AgentMaker,
    JudgeContext,
    Score,
    Summary,
    TrialContext,
)
from wardround.core.capabilities import Explanation, Prediction
from wardround.core.declaration import Opening
from wardround.core.errors import UserError
from wardround.core.record import TrialRecord
from wardround.core.task import EVERY_TASK, Briefing, Chosen, Suite, runnable
from wardround.core.trajectory import Trajectory
from wardround.core.verdict import Verdict
from wardround.ehr.database import Database, QueryError, open_database
from wardround.ehr.fhir.charts import Chart, open_chart
from wardround.models.prompts import fill
from wardround.models.roles import Models

_ONCE = ", all in your first message"
_LIMIT = "- You have {} messages."


class FhirAgentBenchmark:
    """The benchmark, open on one record."""

    declaration = BENCHMARK

    def __init__(self, chart: Chart, name: str, opening: Opening[FhirAgentOptions, Models]) -> None:
        self._chart = chart
        self._place = name
        self._options = opening.options
        self._graders = Graders(opening.models.find("judge"))
        location = self._options.sql_database
        self._records: Database | None = open_database(location) if location else None

    @classmethod
    def open(cls, opening: Opening[FhirAgentOptions, Models]) -> Self:
        """Opens the benchmark on a record, NDJSON, a server, or the made record.

        Raises:
            UserError: several records are named, or one cannot be opened.
        """
        if named := only_database(opening.databases, "FHIR-AgentBench"):
            return cls(open_chart(named.location), named.name, opening)
        from wardround.benchmarks.fhiragentbench.suite.record import made_chart

        return cls(made_chart(), "made", opening)

    @staticmethod
    def read(source: Path | None) -> Suite:
        """The questions of a published file, or the shipped ones."""
        return load_tasks(source) if source else shipped_tasks()

    def load(self, source: Path | None, chosen: Chosen = EVERY_TASK) -> Suite:
        """Reads the chosen questions; golds come from the SQL database if one is named.

        Raises:
            UserError: no question is left.
        """
        suite = runnable(self.read(source), lambda task: "")
        if split := self._options.split:
            tasks = tuple(task for task in suite.tasks if task.labels.get("split") == split)
            if not tasks:
                raise UserError(f"{suite.source} has no question of the split {split!r}.")
            suite = replace(suite, tasks=tasks)
        suite = chosen.of(suite)
        if self._records is None:
            return suite
        golds = {task.id: self._computed(task) for task in suite.tasks}
        reasons = {id: gold for id, gold in golds.items() if isinstance(gold, str)}
        checked = runnable(suite, lambda task: reasons.get(task.id, ""))
        known = {id: gold for id, gold in golds.items() if not isinstance(gold, str)}
        return replace(checked, tasks=tuple(known[task.id] for task in checked.tasks))

    async def environment(self, task: FhirTask, context: TrialContext) -> FhirEnvironment:
        """The environment of one attempt."""
        options = self._options
        once = options.strategy.startswith("single")
        rules = fill(
            prompts.__name__,
            "agent.md",
            once=_ONCE if once else "",
            types=", ".join(RESOURCE_TYPES),
            limit="" if once else _LIMIT.format(options.iterations),
        )
        return FhirEnvironment(
            rules,
            task.public.request,
            self._chart.workspace(),
            options.strategy,
            options.iterations,
            context.trajectory,
        )

    def judge(
        self, task: FhirTask, trajectory: Trajectory, context: JudgeContext
    ) -> AsyncIterator[Verdict]:
        """The program's verdict on the answer, and the judge's if there is one."""
        return verdicts(task, trajectory, self._graders, context)

    @staticmethod
    def score(task: FhirTask, trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Score:
        """The grades of both gradings."""
        return scorer.score(task, trajectory, verdicts)

    @staticmethod
    def explain(task: FhirTask, trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Explanation:
        """The question, the true answer, and the agent's."""
        return scorer.explanation(task, trajectory, verdicts)

    @staticmethod
    def answer(briefing: Briefing, text: str) -> Sequence[Action]:
        """Says a text as the final answer."""
        return [Say(f"The final answer is: {text or NO_ANSWER}")]

    @staticmethod
    def summarize(trials: Sequence[TrialRecord]) -> Summary:
        """The paper's tables."""
        from wardround.benchmarks.fhiragentbench.report import summarize  # not needed to run

        return summarize(trials)

    @staticmethod
    def predictions(trajectories: Iterable[tuple[str, Trajectory]]) -> dict[str, Prediction]:
        """The agents' answers by question."""
        return {id: Prediction(answer_text(trajectory)) for id, trajectory in trajectories}

    def oracle(self, task: FhirTask) -> AgentMaker:
        """Agents that know this task's gold."""
        return oracle(task)

    def fingerprints(self) -> dict[str, str]:
        """The digests of the record and of the database of golds."""
        golds = {"sql": self._records.fingerprint()} if self._records else {}
        return {self._place: self._chart.fingerprint, **golds}

    def close(self) -> None:
        """Closes the database of golds."""
        if self._records is not None:
            self._records.close()

    def _computed(self, task: FhirTask) -> FhirTask | str:
        """The task with the answer of its query, or the reason why the query has none."""
        if self._records is None or not task.hidden.sql:
            return task
        try:
            rows = self._records.execute(task.hidden.sql, rows=None).rows
        except QueryError as error:
            return f"its gold query fails: {error}"
        return replace(task, hidden=replace(task.hidden, answer=[list(row) for row in rows]))
