"""MedAgentBench as a benchmark: opened on a FHIR record, each trial with writes of its own."""

from collections.abc import AsyncIterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Self

from wardround.benchmarks.kit.agent_texts import as_json
from wardround.benchmarks.kit.databases import only_database
from wardround.benchmarks.medagentbench import prompts, scorer
from wardround.benchmarks.medagentbench.declaration import (
    BENCHMARK,
    MedAgentOptions,
)
from wardround.benchmarks.medagentbench.environment import MedEnvironment
from wardround.benchmarks.medagentbench.judge import Graders, verdicts
from wardround.benchmarks.medagentbench.measurements import NOW_TIME
from wardround.benchmarks.medagentbench.oracle import oracle
from wardround.benchmarks.medagentbench.protocol import BASE
from wardround.benchmarks.medagentbench.references import Golds, golds
from wardround.benchmarks.medagentbench.tasks import MedTask, load_tasks, shipped_tasks
from wardround.core.actions import Action, Call, Say
from wardround.core.benchmark import (
    AgentMaker,
    JudgeContext,
    Score,
    Summary,
    TrialContext,
)
from wardround.core.capabilities import Explanation
from wardround.core.declaration import Opening
from wardround.core.packaged_data import read_text
from wardround.core.record import TrialRecord
from wardround.core.task import EVERY_TASK, Briefing, Chosen, Suite, runnable
from wardround.core.trajectory import Trajectory
from wardround.core.verdict import Verdict
from wardround.ehr.fhir.charts import Chart, RemoteChart, open_chart
from wardround.models.prompts import fill
from wardround.models.roles import Models

# The published grader reads one page of 5,000 resources. A record has pages of 1,000, so five are
# read; the pages of a server behind a URL have any size, and one is read.
_RECORD_PAGES, _SERVER_PAGES = 5, 1


class MedAgentBenchmark:
    """The benchmark, open on one record."""

    declaration = BENCHMARK

    def __init__(self, chart: Chart, name: str, opening: Opening[MedAgentOptions, Models]) -> None:
        self._chart = chart
        self._place = name
        self._options = opening.options
        self._golds: dict[str, Golds] = {}

    @classmethod
    def open(cls, opening: Opening[MedAgentOptions, Models]) -> Self:
        """Opens the benchmark on an exported record, a server, or the made record.

        Raises:
            UserError: several records are named, or one cannot be opened.
        """
        if named := only_database(opening.databases, "MedAgentBench"):
            return cls(open_chart(named.location), named.name, opening)
        from wardround.benchmarks.medagentbench.suite.record import made_chart

        return cls(made_chart(), "made", opening)

    @staticmethod
    def read(source: Path | None) -> Suite:
        """The tasks of a published file, or the shipped ones."""
        return load_tasks(source) if source else shipped_tasks()

    def load(self, source: Path | None, chosen: Chosen = EVERY_TASK) -> Suite:
        """Reads the chosen tasks.

        Raises:
            UserError: the file holds no task that can be read.
        """
        return chosen.of(runnable(self.read(source), lambda task: ""))

    async def environment(self, task: MedTask, context: TrialContext) -> MedEnvironment:
        """The environment of one attempt."""
        server = self._chart.workspace(NOW_TIME, gated=False, validation="record")
        text = f"{task.public.context}\n\n{task.public.text}".strip()
        empty = Briefing("", ())
        made = MedEnvironment(empty, text, server, self._options.rounds, context.trajectory)
        made.briefing = self._briefing(made)
        return made

    def _briefing(self, environment: MedEnvironment) -> Briefing:
        functions = read_text(prompts.__name__, "functions.md").format(base=BASE)
        protocol = self._options.protocol
        rules = fill(
            prompts.__name__,
            f"{protocol}.md",
            base=BASE,
            rounds=self._options.rounds,
            functions=functions,
        )
        tools = environment.tools.specs if protocol == "tools" else ()
        return Briefing(rules, tools, {"base": BASE, "protocol": protocol})

    def judge(
        self, task: MedTask, trajectory: Trajectory, context: JudgeContext
    ) -> AsyncIterator[Verdict]:
        """A verdict for each grading; golds are computed from the record."""
        return verdicts(task, trajectory, Graders(self._golds_of), context)

    @staticmethod
    def score(task: MedTask, trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Score:
        """The grades of both gradings."""
        return scorer.score(task, trajectory, verdicts)

    @staticmethod
    def explain(task: MedTask, trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Explanation:
        """The instruction and gold beside the agent's writes and answers."""
        return scorer.explanation(task, trajectory, verdicts)

    @staticmethod
    def answer(briefing: Briefing, text: str) -> Sequence[Action]:
        """Finishes with a text as the answer, or with -1, which stands for none."""
        answers = as_json([text or -1])
        if briefing.tools:
            return [Call("finish", {"answers": answers})]
        return [Say(f"FINISH({answers})")]

    @staticmethod
    def summarize(trials: Sequence[TrialRecord]) -> Summary:
        """The paper's tables."""
        from wardround.benchmarks.medagentbench.report import summarize  # not needed to run

        return summarize(trials)

    def oracle(self, task: MedTask) -> AgentMaker:
        """Agents that know this task's gold."""
        return oracle(lambda: self._golds_of(task))

    def fingerprints(self) -> dict[str, str]:
        """The record's digest."""
        return {self._place: self._chart.fingerprint}

    def close(self) -> None:
        """Nothing is open between trials."""

    def _golds_of(self, task: MedTask) -> Golds:
        if task.id not in self._golds:
            pages = _SERVER_PAGES if isinstance(self._chart, RemoteChart) else _RECORD_PAGES
            with closing(self._chart.workspace(NOW_TIME, gated=False)) as server:
                self._golds[task.id] = golds(task, server, pages)
        return self._golds[task.id]
