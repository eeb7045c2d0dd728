"""EHRSQL as a benchmark: opened on a database, it asks questions and grades the answers."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from wardround.benchmarks.ehrsql import metrics
from wardround.benchmarks.ehrsql.answers import answer_of
from wardround.benchmarks.ehrsql.briefing import agent_rules
from wardround.benchmarks.ehrsql.declaration import BENCHMARK, PUBLISHED
from wardround.benchmarks.ehrsql.environment import EhrsqlEnvironment
from wardround.benchmarks.ehrsql.evaluate import run_answer, run_gold, run_golds
from wardround.benchmarks.ehrsql.gold import answerable, check_gold, known_among
from wardround.benchmarks.ehrsql.modes import MODES, Mode
from wardround.benchmarks.ehrsql.oracle import oracle
from wardround.benchmarks.ehrsql.result_cache import Results, processors
from wardround.benchmarks.ehrsql.scorer import ABSENT, describe, judge, measures
from wardround.benchmarks.ehrsql.tasks import EhrsqlTask, at_time, load_tasks
from wardround.benchmarks.ehrsql.tools import ehrsql_tools
from wardround.benchmarks.kit.databases import schema_text
from wardround.core.benchmark import (
    AgentMaker,
    Prediction,
    Review,
    Score,
    Summary,
    TrialContext,
)
from wardround.core.declaration import Opening
from wardround.core.errors import UserError
from wardround.core.record import TrialRecord
from wardround.core.task import EVERY_TASK, Briefing, Chosen, Defect, Suite
from wardround.core.tools import Toolbox
from wardround.core.trajectory import Trajectory
from wardround.ehr.database import Database, open_database
from wardround.ehr.database import Limits as DatabaseLimits

STRICT = MODES["strict"]


class EhrsqlBenchmark:
    """The benchmark, open. Trials share its database, which is read only."""

    name = BENCHMARK.name
    declaration = BENCHMARK

    def __init__(self, database: Database, opening: Opening) -> None:
        self._database = database
        self._limits = opening.limits
        self._grading = opening.grading
        self._now: str | None = opening.options.current_time
        self._results = Results(database, opening.limits.statement_seconds)
        self._rooms: dict[str, tuple[Briefing, Toolbox]] = {}

    @classmethod
    def open(cls, opening: Opening) -> Self:
        """Opens the benchmark as a run is set.

        Raises:
            UserError: there is not exactly one database, or it cannot be opened.
        """
        if len(opening.databases) != 1:
            raise UserError(
                f"EHRSQL asks about one database, and {len(opening.databases)} were given; name "
                "it with --database FILE."
            )
        [place] = opening.databases.values()
        database = open_database(place, DatabaseLimits(processes=processors()))
        return cls(database, opening)

    def load(self, source: Path | None, chosen: Chosen = EVERY_TASK) -> Suite:
        """Reads tasks and leaves out, with the reason, those whose gold is wrong on this database.

        Known defects are told apart and kept: the published grader scores them as well.

        Raises:
            UserError: there is no such file, or its labels are another database's.
        """
        if source is None:
            raise UserError(
                "EHRSQL has no shipped tasks; name a folder or file of its questions with --tasks."
            )
        suite = chosen.of(at_time(load_tasks(source), self._now))
        run_golds(suite, self._results, _modes(suite.tasks, self._grading))
        known = known_among(task.id for task in suite.tasks)
        bad = self._bad_golds(suite, {defect.where for defect in known})
        wrong = {defect.where for defect in bad}
        good = tuple(task for task in suite.tasks if task.id not in wrong)
        return Suite(good, (*suite.defects, *bad), suite.source, known)

    async def environment(self, task: EhrsqlTask, context: TrialContext) -> EhrsqlEnvironment:
        """The room for one attempt: a briefing without gold, the question, and the tools."""
        now = task.public.now
        if now not in self._rooms:
            self._rooms[now] = self._room(now)
        briefing, tools = self._rooms[now]
        return EhrsqlEnvironment(briefing, task.public.question, tools)

    async def review(
        self, task: EhrsqlTask, trajectory: Trajectory, context: TrialContext
    ) -> Review:
        """Nobody is played here; without a label there is nothing to score."""
        if task.hidden.gold is None:
            return Review("undecided", "the question has no label")
        return Review("valid")

    def score(self, task: EhrsqlTask, trajectory: Trajectory) -> Score:
        """The grade as the file's form publishes it, and the strict one."""
        made = answer_of(trajectory)
        judged, answers = {}, {}
        for mode in _modes([task], self._grading):
            gold = run_gold(task, self._results, mode)
            answer = run_answer(task, made.answer, self._results, mode) if made else ABSENT
            judged[mode.name], answers[mode.name] = judge(gold, answer, mode), answer
        grading = task.hidden.form if self._grading == PUBLISHED else self._grading
        one, answer = judged[grading], answers[grading]
        return Score(
            one.right,
            {name: float(found.right) for name, found in judged.items()},
            describe(one, answer),
            measures(one, answer, made.confidence if made else None),
        )

    @staticmethod
    def summarize(trials: Sequence[TrialRecord]) -> Summary:
        """The paper's Table 5, RS(c), risk by coverage, and the breakdowns."""
        return metrics.summarize(trials)

    @staticmethod
    def compare(
        runs: Sequence[tuple[Mapping[str, Any], Sequence[TrialRecord]]],
    ) -> Summary:
        """None: two systems are compared by `wardround score`."""
        return Summary({})

    @staticmethod
    def predictions(trajectories: Iterable[tuple[str, Trajectory]]) -> dict[str, Prediction]:
        """What was submitted, by question id."""
        found = {id: answer_of(trajectory) for id, trajectory in trajectories}
        return {id: made for id, made in found.items() if made is not None}

    def oracle(self, task: EhrsqlTask) -> AgentMaker:
        """Agents that know this task's gold."""
        return oracle(task)

    def fingerprints(self) -> dict[str, str]:
        """The database's content hash, by its name."""
        return {self._database.name: self._database.fingerprint()}

    def training_databases(self) -> dict[str, str]:
        """The database that questions are about."""
        return {self._database.name: self._database.url}

    def close(self) -> None:
        """Closes the database."""
        self._database.close()

    def _room(self, now: str) -> tuple[Briefing, Toolbox]:
        """What all questions of one time share; making tools takes longer than asking."""
        tools = Toolbox(ehrsql_tools(self._database, now, self._limits.statement_seconds))
        facts = {
            "database": self._database.name,
            "dialect": self._database.dialect,
            "current_time": now,
        }
        rules = agent_rules(facts, schema_text(self._database), self._limits)
        return Briefing(rules, tools.specs, facts), tools

    def _bad_golds(self, suite: Suite, known: set[str]) -> list[Defect]:
        found = []
        for task in answerable(suite.tasks):
            gold = run_gold(task, self._results, MODES[task.hidden.form])
            reason = check_gold(task, gold) if gold and task.id not in known else ""
            if reason:
                found.append(Defect(task.id, reason))
        return found


def _modes(tasks: Iterable[EhrsqlTask], grading: str) -> list[Mode]:
    """How tasks are graded: as their form publishes it, as the run is set, then strictly."""
    forms = dict.fromkeys(task.hidden.form for task in tasks)
    chosen = () if grading in (PUBLISHED, STRICT.name) else (grading,)
    return [*(MODES[name] for name in dict.fromkeys([*forms, *chosen])), STRICT]
