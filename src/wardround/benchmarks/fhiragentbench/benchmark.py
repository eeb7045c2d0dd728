"""FHIR-AgentBench as a benchmark: opened on a FHIR record that nobody writes to."""

from asyncio import to_thread
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from wardround.benchmarks.fhiragentbench import prompts, scorer
from wardround.benchmarks.fhiragentbench.declaration import BENCHMARK, JUDGE, FhirAgentOptions
from wardround.benchmarks.fhiragentbench.environment import FhirEnvironment
from wardround.benchmarks.fhiragentbench.expected_answers import ZONE, Expected, expected_answer
from wardround.benchmarks.fhiragentbench.grades import final_answer
from wardround.benchmarks.fhiragentbench.judge import ITEM, judge_key, judged
from wardround.benchmarks.fhiragentbench.oracle import oracle
from wardround.benchmarks.fhiragentbench.tasks import (
    TYPES,
    FhirTask,
    Question,
    load_tasks,
    shipped_tasks,
)
from wardround.benchmarks.fhiragentbench.tools import AgentTools
from wardround.benchmarks.kit.agent_texts import as_json
from wardround.core.benchmark import (
    AgentMaker,
    Explanation,
    JudgeContext,
    Prediction,
    Score,
    Summary,
    TrialContext,
    Validation,
)
from wardround.core.declaration import Opening
from wardround.core.errors import UserError
from wardround.core.record import TrialRecord
from wardround.core.task import EVERY_TASK, Briefing, Chosen, Suite
from wardround.core.tools import Toolbox
from wardround.core.trajectory import Trajectory
from wardround.core.verdict import Verdict, state_of, verdict_key
from wardround.ehr.database import Database, open_database
from wardround.ehr.fhir.charts import Chart, open_chart
from wardround.models.prompts import fill
from wardround.sandbox.fork_server import ForkServer
from wardround.sandbox.programs import ENTRY
from wardround.scoring.written_answers import answered_rows, same_answer

VERSION = 1


class FhirAgentBenchmark:
    """The benchmark, open on one record."""

    name = BENCHMARK.name
    declaration = BENCHMARK

    def __init__(self, chart: Chart, name: str, sql: Database | None, opening: Opening) -> None:
        self._chart = chart
        self._place = name
        self._options: FhirAgentOptions = opening.options
        self._judge = opening.models.find(JUDGE) if opening.models else None
        self._sql = sql
        self._processes = ForkServer(ENTRY)
        self._expected: dict[str, Expected] = {}

    @classmethod
    def open(cls, opening: Opening) -> Self:
        """Opens the benchmark on a record, a server, or the made record.

        Raises:
            UserError: several records are named, or a record or the SQL database cannot be opened.
        """
        if len(opening.databases) > 1:
            raise UserError("FHIR-AgentBench asks about one record; name one with --database.")
        place = opening.options.sql_database
        for name, location in opening.databases.items():
            chart = open_chart(location)
            return cls(chart, name, open_database(place) if place else None, opening)
        from wardround.benchmarks.fhiragentbench.suite.record import made_chart

        return cls(made_chart(), "made", open_database(place) if place else None, opening)

    @staticmethod
    def read(source: Path | None) -> Suite:
        """The questions of a published file, or the shipped ones."""
        return load_tasks(source) if source else shipped_tasks()

    def load(self, source: Path | None, chosen: Chosen = EVERY_TASK) -> Suite:
        """Reads the chosen questions."""
        return chosen.of(self.read(source))

    async def environment(self, task: FhirTask, context: TrialContext) -> FhirEnvironment:
        """The environment of one attempt."""
        server = self._chart.workspace(gated=False)
        strategy = self._options.strategy
        own = AgentTools(server, strategy, self._processes, context.trajectory)
        tools = Toolbox(own.tools())
        rules = fill(
            prompts.__name__,
            "rules.md",
            types=", ".join(TYPES),
            way=fill(prompts.__name__, f"{strategy}.md"),
            iterations=self._options.iterations,
        )
        facts = {"strategy": strategy, "patient": task.public.patient}
        return FhirEnvironment(
            Briefing(rules, tools.specs, facts),
            request(task.public),
            tools,
            server,
            self._options.iterations,
            context.trajectory,
        )

    async def validate(
        self, task: FhirTask, trajectory: Trajectory, context: TrialContext
    ) -> Validation:
        """Nobody is played, so every attempt counts."""
        return Validation()

    async def judge(
        self, task: FhirTask, trajectory: Trajectory, context: JudgeContext
    ) -> AsyncIterator[Verdict]:
        """Verdicts on the answer by comparison and by the judge, and on the file's answer."""
        expected = await to_thread(self._answer, task)
        if on_file := expected.verdict(task):
            yield on_file
        answer = final_answer(trajectory) or ""
        rows = answered_rows(answer, expected.rows)
        ended = final_answer(trajectory) is not None
        right = ended and same_answer(expected.rows, rows, ZONE)
        key = verdict_key(ITEM, VERSION, as_json(expected.rows), answer)
        evidence = as_json(expected.rows)
        yield Verdict(ITEM, scorer.COMPARISON, state_of(right), key=key, evidence=evidence)
        judge = self._judge
        if judge and not context.has(judge_key(judge, task, expected.rows, answer)):
            yield await judged(judge, task, expected.rows, answer, context)

    @staticmethod
    def score(task: FhirTask, trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Score:
        """The grades of both gradings."""
        return scorer.score(task, trajectory, verdicts)

    @staticmethod
    def explain(task: FhirTask, trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Explanation:
        """The question and its gold beside the agent's answer."""
        return scorer.explanation(task, trajectory, verdicts)

    @staticmethod
    def summarize(trials: Sequence[TrialRecord]) -> Summary:
        """The paper's measures."""
        from wardround.benchmarks.fhiragentbench.report import summarize  # not needed to run

        return summarize(trials)

    @staticmethod
    def compare(runs: Sequence[tuple[Mapping[str, Any], Sequence[TrialRecord]]]) -> Summary:
        """No table over several runs."""
        return Summary({})

    @staticmethod
    def predictions(trajectories: Iterable[tuple[str, Trajectory]]) -> dict[str, Prediction]:
        """None: answers count only together with what was retrieved."""
        return {}

    def oracle(self, task: FhirTask) -> AgentMaker:
        """Agents that know this task's gold."""
        return oracle(task, self._answer(task).rows, self._options.strategy)

    def fingerprints(self) -> dict[str, str]:
        """The digests of the record and of the SQL database."""
        sql = {"sql": self._sql.fingerprint()} if self._sql else {}
        return {self._place: self._chart.fingerprint, **sql}

    def training_databases(self) -> dict[str, str]:
        """None: no agent learns from these questions."""
        return {}

    def close(self) -> None:
        """Ends the processes of programs and closes the SQL database."""
        self._processes.close()
        if self._sql:
            self._sql.close()

    def _answer(self, task: FhirTask) -> Expected:
        if task.id not in self._expected:
            self._expected[task.id] = expected_answer(task, self._sql)
        return self._expected[task.id]


def request(question: Question) -> str:
    """The question with its context, as the agent reads it."""
    context = [f"The patient's FHIR id is {question.patient}."] if question.patient else []
    context += [question.assumption] if question.assumption else []
    return f"Question: {question.text}\nContext: {' '.join(context)}".strip()
