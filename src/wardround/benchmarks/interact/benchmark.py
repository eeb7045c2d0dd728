"""BIRD-Interact as a benchmark: opened on PostgreSQL with its user, it runs and grades tasks."""

from asyncio import to_thread
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Self

from wardround.benchmarks.interact import comparison as compared
from wardround.benchmarks.interact import report
from wardround.benchmarks.interact.briefing import action_rules, conversation_rules
from wardround.benchmarks.interact.declaration import BENCHMARK, InteractOptions
from wardround.benchmarks.interact.environments.conversation import ConversationEnvironment
from wardround.benchmarks.interact.environments.priced import PricedEnvironment
from wardround.benchmarks.interact.environments.submissions import submitted
from wardround.benchmarks.interact.environments.trial_state import TrialState, submission_key
from wardround.benchmarks.interact.grader import MODES, Grader
from wardround.benchmarks.interact.memory_graft import grafts_of
from wardround.benchmarks.interact.open_databases import (
    OpenDatabase,
    open_with_documents,
    shipped_database,
)
from wardround.benchmarks.interact.oracle import oracle
from wardround.benchmarks.interact.people import Users, open_users, questions_to
from wardround.benchmarks.interact.prices import budget_of, questions_allowed
from wardround.benchmarks.interact.published import load_tasks, shipped_suite
from wardround.benchmarks.interact.scorer import score
from wardround.benchmarks.interact.tasks import InteractTask, with_gaps_named
from wardround.benchmarks.interact.tools import action_tools, own_actions, submit_tool
from wardround.benchmarks.kit.caches import PassedGolds
from wardround.benchmarks.kit.databases import close_databases, missing_database, open_databases
from wardround.core import plugins
from wardround.core.benchmark import (
    AgentMaker,
    JudgeContext,
    Prediction,
    Score,
    Summary,
    TrialContext,
    Validation,
)
from wardround.core.declaration import Opening
from wardround.core.environment import Environment
from wardround.core.folders import cache_folder
from wardround.core.limits import Budget
from wardround.core.record import TrialRecord
from wardround.core.task import EVERY_TASK, Briefing, Chosen, Suite, runnable
from wardround.core.tools import Toolbox
from wardround.core.trajectory import Event, Trajectory
from wardround.core.verdict import Verdict
from wardround.ehr.knowledge import KnowledgeBase


class InteractBenchmark:
    """The benchmark, open. Each trial has a state of its database for itself."""

    name = BENCHMARK.name
    declaration = BENCHMARK

    def __init__(
        self,
        databases: Mapping[str, OpenDatabase],
        users: Users,
        opening: Opening,
        grafts: Mapping[str, str],
        own: Any,
    ) -> None:
        self._databases = databases
        self._users = users
        self._options: InteractOptions = opening.options
        self._limits = opening.limits
        self._grafts = grafts
        self._own = own
        self._grader = Grader()
        self._passed = PassedGolds(cache_folder() / "interact-golds.txt")

    @classmethod
    def open(cls, opening: Opening) -> Self:
        """Opens the benchmark as a run is set.

        Raises:
            UserError: A database, model, run to graft or module of actions that is named
                cannot be opened.
        """
        options: InteractOptions = opening.options
        users = open_users(options, opening.models)
        grafts = grafts_of(options.graft) if options.graft else {}
        named = options.own_actions
        own = plugins.load("wardround.actions", named) if named else None
        databases = open_databases(
            opening.databases or shipped_database(),
            partial(open_with_documents, documents=options.documents),
        )
        return cls(databases, users, opening, grafts, own)

    @staticmethod
    def read(source: Path | None) -> Suite:
        """The tasks of a file, or the shipped ones."""
        return load_tasks(source) if source else shipped_suite()

    def load(self, source: Path | None, chosen: Chosen = EVERY_TASK) -> Suite:
        """Reads tasks and leaves out, with the reason, those that cannot be graded here.

        Raises:
            UserError: The file is missing, or not one of its tasks can be run.
        """
        suite = self.read(source)
        return runnable(self._with_gaps(chosen.of(suite)), self._problem)

    async def environment(self, task: InteractTask, context: TrialContext) -> Environment:
        """Makes the environment of one attempt: a database of its own, and a user."""
        state = await to_thread(self._state, task, context.trajectory.record)
        make = self._priced if self._options.mode == "a" else self._conversation
        return make(task, state, context)

    async def validate(
        self, task: InteractTask, trajectory: Trajectory, context: TrialContext
    ) -> Validation:
        """Valid: what the user says is checked before it is said."""
        return Validation("valid")

    async def judge(
        self, task: InteractTask, trajectory: Trajectory, context: JudgeContext
    ) -> AsyncIterator[Verdict]:
        """Nothing, as the environment graded each submission, unless its verdicts are not known."""
        submissions = list(submitted(trajectory))
        keys = (submission_key(task.hidden, each, mode) for each in submissions for mode in MODES)
        if all(map(context.has, keys)):
            return
        with closing(await to_thread(self._state, task, lambda event: None)) as state:
            for submitted_sql in submissions:
                submission = await to_thread(state.grade, submitted_sql)
                for verdict in state.verdicts(submission):
                    yield verdict

    @staticmethod
    def score(task: InteractTask, trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Score:
        """The reward as published and the strict one."""
        return score(task, trajectory, verdicts)

    @staticmethod
    def summarize(trials: Sequence[TrialRecord]) -> Summary:
        """The paper's Tables 2 and 10 and its figures."""
        return report.summarize(trials)

    @staticmethod
    def compare(
        runs: Sequence[tuple[Mapping[str, Any], Sequence[TrialRecord]]],
    ) -> Summary:
        """Runs side by side (Tables 2 and 10, Figures 4, 5 and 10 to 15)."""
        return compared.compare(runs)

    @staticmethod
    def predictions(trajectories: Iterable[tuple[str, Trajectory]]) -> dict[str, Prediction]:
        """None: it is answered in talk."""
        return {}

    def oracle(self, task: InteractTask) -> AgentMaker:
        """Agents that know this task's gold."""
        return oracle(task)

    def fingerprints(self) -> dict[str, str]:
        """The databases' content hashes, by the name that tasks use."""
        return {name: opened.fingerprint for name, opened in self._databases.items()}

    def training_databases(self) -> dict[str, str]:
        """The databases that requests are about."""
        return {name: opened.database.url for name, opened in self._databases.items()}

    def close(self) -> None:
        """Closes the databases, and what test programs run in."""
        self._grader.close()
        close_databases(self._databases)

    def _state(self, task: InteractTask, note: Callable[[Event], None]) -> TrialState:
        database = self._databases[task.public.database].database
        return TrialState(
            task.hidden,
            database.writable(),
            self._grader.grade,
            self._limits.statement_seconds,
            self._options.mode,
            note,
            keeps=self._options.reset == "submit",
        )

    def _conversation(
        self, task: InteractTask, state: TrialState, context: TrialContext
    ) -> ConversationEnvironment:
        opened = self._databases[task.public.database]
        request, known, allowed = self._opening(task, opened.knowledge)
        facts = self._facts(task)
        rules = conversation_rules(
            facts, allowed, opened.schema, opened.meanings, known, self._limits
        )
        tools = Toolbox([submit_tool()])
        briefing = Briefing(rules, tools.specs, facts)
        user = questions_to(self._users, task, opened.schema, context)
        return ConversationEnvironment(briefing, state, user, tools, allowed, request)

    def _priced(
        self, task: InteractTask, state: TrialState, context: TrialContext
    ) -> PricedEnvironment:
        opened = self._databases[task.public.database]
        known = opened.knowledge.without(task.hidden.masked)
        total = budget_of(task.hidden.budgeted, self._options.patience)
        budget = None if self._options.free else Budget(total)
        facts = self._facts(task)
        rules = action_rules(facts, None if budget is None else total, self._limits)
        nine = action_tools(state, opened.schema, opened.meanings, known)
        own = own_actions(self._own, state) if self._own else []
        tools = Toolbox([*nine, *own])
        briefing = Briefing(rules, tools.specs, facts)
        user = questions_to(self._users, task, opened.schema, context)
        return PricedEnvironment(briefing, state, user, tools, budget)

    def _opening(
        self, task: InteractTask, knowledge: KnowledgeBase
    ) -> tuple[str, KnowledgeBase, int]:
        """The request as the agent gets it, the knowledge it has, and how much it may ask."""
        known = knowledge.without(task.hidden.masked)
        if self._options.mode == "clear":
            return task.hidden.clear or task.public.request, knowledge, 0
        if self._grafts:
            talk = self._grafts.get(task.id, "")
            return f"{task.public.request}\n{talk}".strip(), known, 0
        allowed = questions_allowed(task.hidden.budgeted, self._options.patience)
        return task.public.request, known, allowed

    def _facts(self, task: InteractTask) -> dict[str, str]:
        return {
            "database": task.public.database,
            "dialect": "postgres",
            "mode": self._options.mode,
            "current_time": self._options.current_time,
        }

    def _with_gaps(self, suite: Suite) -> Suite:
        """The suite with each masked entry named as one-shot gap or broken chain."""
        databases = self._databases
        tasks = (
            with_gaps_named(task, databases[task.public.database].knowledge)
            if task.public.database in databases
            else task
            for task in suite.tasks
        )
        return replace(suite, tasks=tuple(tasks))

    def _problem(self, task: InteractTask) -> str:
        opened = self._databases.get(task.public.database)
        if opened is None:
            return missing_database(task.public.database, "postgresql:NAME")
        if self._passed.holds(task, opened.fingerprint):
            return ""
        with closing(opened.database.writable()) as workspace:
            wrong = self._grader.check_gold(task, workspace, self._limits.statement_seconds)
        if not wrong:
            self._passed.add(task, opened.fingerprint)
        return wrong
