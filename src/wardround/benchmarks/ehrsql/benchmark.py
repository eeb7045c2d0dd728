"""The EHRSQL benchmark: opens a database, asks questions and grades the answers."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Self

from wardround.benchmarks.ehrsql import scorer
from wardround.benchmarks.ehrsql.current_times import timed
from wardround.benchmarks.ehrsql.declaration import BENCHMARK, EhrsqlOptions
from wardround.benchmarks.ehrsql.environment import EhrsqlEnvironment, agent_rules
from wardround.benchmarks.ehrsql.gold import (
    answerable,
    check_gold,
    known_among,
    run_gold,
    run_golds,
)
from wardround.benchmarks.ehrsql.graders import GRADERS
from wardround.benchmarks.ehrsql.judge import Graders, answer_of, graders_of, verdicts
from wardround.benchmarks.ehrsql.oracle import oracle
from wardround.benchmarks.ehrsql.result_cache import Results, processors
from wardround.benchmarks.ehrsql.tasks import EhrsqlTask, load_tasks
from wardround.benchmarks.ehrsql.tools import SUBMIT, ehrsql_tools
from wardround.benchmarks.kit.constant_queries import constant_query
from wardround.benchmarks.kit.databases import schema_text
from wardround.core.actions import Action, Call
from wardround.core.benchmark import (
    AgentMaker,
    JudgeContext,
    Score,
    Summary,
    TrialContext,
)
from wardround.core.capabilities import Explanation, Prediction, Validation
from wardround.core.current_time import CurrentTime
from wardround.core.declaration import Opening
from wardround.core.errors import UserError
from wardround.core.harms import Harm
from wardround.core.record import TrialRecord
from wardround.core.task import EVERY_TASK, Briefing, Chosen, Defect, Suite
from wardround.core.tools import Toolbox
from wardround.core.trajectory import Trajectory
from wardround.core.verdict import Verdict
from wardround.ehr.database import Database, open_database
from wardround.ehr.database import Limits as DatabaseLimits
from wardround.models.roles import Models


class EhrsqlBenchmark:
    """The opened benchmark. Trials share its database, which is read only."""

    declaration = BENCHMARK

    def __init__(self, database: Database, opening: Opening[EhrsqlOptions, Models]) -> None:
        self._database = database
        self._limits = opening.limits
        self._grading = opening.grading
        self._now: str | None = opening.options.current_time
        self._time: CurrentTime | None = None
        self._results = Results(database, opening.limits.statement_seconds)
        self._instructions: dict[str, tuple[Briefing, Toolbox]] = {}

    @classmethod
    def open(cls, opening: Opening[EhrsqlOptions, Models]) -> Self:
        """Opens the benchmark on the run's database, by default the synthetic hospital.

        Raises:
            UserError: there are several databases, or it cannot be opened.
        """
        if len(opening.databases) > 1:
            raise UserError(
                f"EHRSQL asks about one database, and {len(opening.databases)} were given; name "
                "one with --database FILE."
            )
        location = next(iter(opening.databases.values()), "") or _synthetic_hospital()
        database = open_database(location, DatabaseLimits(processes=processors()))
        return cls(database, opening)

    @staticmethod
    def read(source: Path | None, chosen: Chosen = EVERY_TASK) -> Suite:
        """Reads the questions of a published file or folder."""
        if source is None:
            raise UserError(
                "EHRSQL has no shipped tasks; name a folder or file of its questions with --tasks, "
                "or make some with wardround tasks make ehrsql."
            )
        return load_tasks(source, chosen)

    def load(self, source: Path | None, chosen: Chosen = EVERY_TASK) -> Suite:
        """Reads tasks; those whose gold is wrong on this database become defects.

        Tasks with known defects are kept, since the published grader scores them too.

        Raises:
            UserError: there is no such file, or its labels belong to another database.
        """
        suite, self._time = timed(self.read(source, chosen), self._now, self._database)
        run_golds(suite, self._results, graders_of(suite.tasks, self._grading))
        known = known_among(task.id for task in suite.tasks)
        bad = self._bad_golds(suite, {defect.where for defect in known})
        wrong = {defect.where for defect in bad}
        good = tuple(task for task in suite.tasks if task.id not in wrong)
        return Suite(good, (*suite.defects, *bad), suite.source, known)

    async def environment(self, task: EhrsqlTask, context: TrialContext) -> EhrsqlEnvironment:
        """Builds the environment of one attempt: briefing without gold, question and tools."""
        now = task.public.now
        if now not in self._instructions:
            self._instructions[now] = self._briefing(now)
        briefing, tools = self._instructions[now]
        return EhrsqlEnvironment(briefing, task.public.question, tools)

    async def validate(
        self, task: EhrsqlTask, trajectory: Trajectory, context: TrialContext
    ) -> Validation:
        """Returns valid, as nobody is simulated; undecided for a question without a label."""
        if task.hidden.gold is None:
            return Validation("undecided", "the question has no label")
        return Validation("valid")

    def judge(
        self, task: EhrsqlTask, trajectory: Trajectory, context: JudgeContext
    ) -> AsyncIterator[Verdict]:
        """Compares the results of answer and gold by the published grading and strictly."""
        return verdicts(task, trajectory, Graders(self._grading, self._results), context)

    @staticmethod
    def score(task: EhrsqlTask, trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Score:
        """Scores a trial by the published grading of its file, and strictly."""
        return scorer.score(task, trajectory, verdicts)

    @staticmethod
    def explain(
        task: EhrsqlTask, trajectory: Trajectory, verdicts: Sequence[Verdict]
    ) -> Explanation:
        """Shows the question and gold beside the submitted answer."""
        return scorer.explanation(task, trajectory, verdicts)

    @staticmethod
    def harms(trials: Sequence[TrialRecord]) -> Mapping[tuple[str, int], Mapping[Harm, bool]]:
        """Tells which answers mislead, and which questions are refused for nothing."""
        return scorer.harms(trials)

    @staticmethod
    def answer(briefing: Briefing, text: str) -> Sequence[Action]:
        """Submits a text as a constant."""
        return [Call(SUBMIT, {"query": constant_query(text)})]

    @staticmethod
    def summarize(trials: Sequence[TrialRecord]) -> Summary:
        """Builds the paper's Table 5, RS(c), risk by coverage, and the breakdowns."""
        from wardround.benchmarks.ehrsql.report import summarize  # not needed to run trials

        return summarize(trials)

    @staticmethod
    def predictions(trajectories: Iterable[tuple[str, Trajectory]]) -> dict[str, Prediction]:
        """Returns the submitted answers by question id."""
        answers = {id: answer_of(trajectory) for id, trajectory in trajectories}
        return {id: answer for id, answer in answers.items() if answer is not None}

    def oracle(self, task: EhrsqlTask) -> AgentMaker:
        """Makes agents that know this task's gold."""
        return oracle(task)

    def fingerprints(self) -> dict[str, str]:
        """Returns the database's content hash, by its name."""
        return {self._database.name: self._database.fingerprint()}

    def current_times(self) -> dict[str, CurrentTime]:
        """Returns the database's current time by its name, unless the questions name their own."""
        return {self._database.name: self._time} if self._time else {}

    def training_databases(self) -> dict[str, str]:
        """Returns the location of the database that questions are about, by its name."""
        return {self._database.name: self._database.url}

    def close(self) -> None:
        """Closes the database."""
        self._database.close()

    def _briefing(self, now: str) -> tuple[Briefing, Toolbox]:
        """Briefing and tools shared by all questions of one current time; making tools is slow."""
        seconds, remember = self._limits.statement_seconds, self._results.remember
        tools = Toolbox(ehrsql_tools(self._database, now, seconds, remember))
        facts = {
            "database": self._database.name,
            "dialect": self._database.dialect,
            "current_time": now,
        }
        rules = agent_rules(facts, schema_text(self._database), self._limits)
        return Briefing(rules, tools.specs, facts), tools

    def _bad_golds(self, suite: Suite, known: set[str]) -> list[Defect]:
        defects = []
        for task in answerable(suite.tasks):
            gold = run_gold(task, self._results, GRADERS[task.hidden.form])
            reason = check_gold(task, gold) if gold and task.id not in known else ""
            if reason:
                defects.append(Defect(task.id, reason))
        return defects


def _synthetic_hospital() -> str:
    """The place of the synthetic hospital, which is made on first use."""
    from wardround.ehr.hospital import default_hospital

    return str(default_hospital())
