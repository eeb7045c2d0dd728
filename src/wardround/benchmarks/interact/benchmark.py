"""The BIRD-Interact benchmark: opens PostgreSQL and the user, runs and grades tasks."""

from asyncio import to_thread
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Self

from wardround.benchmarks.interact import scorer
from wardround.benchmarks.interact.briefing import (
    action_briefing,
    conversation_briefing,
    request_of,
)
from wardround.benchmarks.interact.declaration import BENCHMARK, InteractOptions
from wardround.benchmarks.interact.environment import ConversationEnvironment, PricedEnvironment
from wardround.benchmarks.interact.gold.check import check_gold
from wardround.benchmarks.interact.judge import Graders, verdicts
from wardround.benchmarks.interact.open_databases import OpenDatabase, open_named_or_shipped
from wardround.benchmarks.interact.oracle import oracle
from wardround.benchmarks.interact.people import Users, grafts_of, open_users, questions_to
from wardround.benchmarks.interact.prices import budget_of
from wardround.benchmarks.interact.submission_grader import Grader
from wardround.benchmarks.interact.tasks import (
    InteractTask,
    load_tasks,
    shipped_tasks,
    with_gaps_named,
)
from wardround.benchmarks.interact.tools import action_tools, own_actions, submit_tool
from wardround.benchmarks.interact.trial_state import TrialState
from wardround.benchmarks.kit.caches import PassedGolds
from wardround.benchmarks.kit.constant_queries import constant_query
from wardround.benchmarks.kit.databases import close_databases, missing_database
from wardround.benchmarks.kit.groups import Trials
from wardround.core import plugins
from wardround.core.actions import Action, Call
from wardround.core.benchmark import (
    AgentMaker,
    JudgeContext,
    Score,
    Summary,
    TrialContext,
)
from wardround.core.capabilities import Explanation
from wardround.core.declaration import Opening
from wardround.core.environment import Environment
from wardround.core.folders import cache_folder
from wardround.core.harms import Harm
from wardround.core.limits import Budget
from wardround.core.task import EVERY_TASK, Briefing, Chosen, Suite, runnable
from wardround.core.tools import Toolbox
from wardround.core.trajectory import Event, Trajectory
from wardround.core.verdict import Verdict
from wardround.models.roles import Models
from wardround.people.clarifying.questions.recorded import Questions


class InteractBenchmark:
    """The opened benchmark. Each trial gets its own copy of its database."""

    declaration = BENCHMARK

    def __init__(
        self,
        databases: Mapping[str, OpenDatabase],
        users: Users,
        opening: Opening[InteractOptions, Models],
        grafts: Mapping[str, str],
        own_actions_maker: Any,
    ) -> None:
        self._databases = databases
        self._users = users
        self._options = opening.options
        self._limits = opening.limits
        self._grafts = grafts
        self._own_actions_maker = own_actions_maker
        self._grader = Grader()
        self._passed = PassedGolds(cache_folder() / "interact-golds.txt")

    @classmethod
    def open(cls, opening: Opening[InteractOptions, Models]) -> Self:
        """Opens databases, user and own actions as the run's settings say.

        Raises:
            UserError: a database, model, run to graft or module of actions cannot be
                opened.
        """
        options = opening.options
        users = open_users(options, opening.models)
        grafts = grafts_of(options.graft) if options.graft else {}
        actions = options.own_actions
        own_actions_maker = plugins.load("wardround.actions", actions) if actions else None
        databases = open_named_or_shipped(opening.databases, options.documents)
        return cls(databases, users, opening, grafts, own_actions_maker)

    @staticmethod
    def read(source: Path | None) -> Suite:
        """Reads the tasks of a file, or the shipped tasks."""
        return load_tasks(source) if source else shipped_tasks()

    def load(self, source: Path | None, chosen: Chosen = EVERY_TASK) -> Suite:
        """Reads tasks; those that cannot be graded on these databases become defects.

        Raises:
            UserError: the file is missing, or none of its tasks can be run.
        """
        suite = chosen.of(self.read(source))
        bases = {name: opened.knowledge for name, opened in self._databases.items()}
        tasks = tuple(with_gaps_named(task, bases) for task in suite.tasks)
        return runnable(replace(suite, tasks=tasks), self._problem)

    async def environment(self, task: InteractTask, context: TrialContext) -> Environment:
        """Builds the environment of one attempt, with its own database and a user."""
        state = await to_thread(self._state, task, context.trajectory.record)
        opened = self._databases[task.public.database]
        user = questions_to(self._users, task, opened.schema, context)
        if self._options.mode != "clear":
            opened = replace(opened, knowledge=opened.knowledge.without(task.hidden.masked))
        make = self._priced if self._options.mode == "a" else self._conversation
        return make(task, opened, state, user)

    def judge(
        self, task: InteractTask, trajectory: Trajectory, context: JudgeContext
    ) -> AsyncIterator[Verdict]:
        """Grades the submissions again, unless the environment's verdicts on all are known."""
        graders = Graders(lambda task: self._state(task, lambda event: None))
        return verdicts(task, trajectory, graders, context)

    @staticmethod
    def score(task: InteractTask, trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Score:
        """Scores a trial by published and strict grading."""
        return scorer.score(task, trajectory, verdicts)

    @staticmethod
    def explain(
        task: InteractTask, trajectory: Trajectory, verdicts: Sequence[Verdict]
    ) -> Explanation:
        """Shows the first failed request and its gold beside the last submission for it."""
        return scorer.explanation(task, trajectory, verdicts)

    @staticmethod
    def harms(trials: Trials) -> Mapping[tuple[str, int], Mapping[Harm, bool]]:
        """Tells which trials ignore an ambiguity."""
        return scorer.harms(trials)

    @staticmethod
    def answer(briefing: Briefing, text: str) -> Sequence[Action]:
        """Submits a text as a constant."""
        return [Call("submit", {"sql": constant_query(text)})]

    @staticmethod
    def summarize(trials: Trials) -> Summary:
        """Builds the paper's Tables 2 and 10 and its figures."""
        from wardround.benchmarks.interact.report import summarize  # not needed to run trials

        return summarize(trials)

    @staticmethod
    def compare(runs: Sequence[tuple[Mapping[str, Any], Trials]]) -> Summary:
        """Compares runs (Tables 2 and 10, Figures 4, 5 and 10 to 15)."""
        from wardround.benchmarks.interact.comparison import compare

        return compare(runs)

    def oracle(self, task: InteractTask) -> AgentMaker:
        """Makes agents that know this task's gold."""
        return oracle(task)

    def fingerprints(self) -> dict[str, str]:
        """Returns each database's content hash, by the name that tasks use."""
        return {name: opened.fingerprint for name, opened in self._databases.items()}

    def training_databases(self) -> dict[str, str]:
        """Returns the locations of the databases that requests are about, by name."""
        return {name: opened.database.url for name, opened in self._databases.items()}

    def close(self) -> None:
        """Closes the databases and ends the processes of test programs."""
        self._grader.close()
        close_databases(self._databases)

    def _state(self, task: InteractTask, note: Callable[[Event], None]) -> TrialState:
        workspace = self._databases[task.public.database].database.writable()
        grade, seconds = self._grader.grade, self._limits.statement_seconds
        return TrialState(task.hidden, workspace, grade, seconds, self._options, note)

    def _conversation(
        self, task: InteractTask, opened: OpenDatabase, state: TrialState, user: Questions
    ) -> ConversationEnvironment:
        request, allowed = request_of(task, self._options, self._grafts)
        tools = Toolbox([submit_tool()])
        briefing = conversation_briefing(task, self._options, self._limits, tools, opened, allowed)
        return ConversationEnvironment(briefing, state, user, tools, allowed, request)

    def _priced(
        self, task: InteractTask, opened: OpenDatabase, state: TrialState, user: Questions
    ) -> PricedEnvironment:
        total = budget_of(task.hidden.budgeted, self._options.patience)
        budget = None if self._options.free else Budget(total)
        priced = own_actions(self._own_actions_maker, state) if self._own_actions_maker else []
        tools = Toolbox([*action_tools(state, opened), *priced])
        briefing = action_briefing(task, self._options, self._limits, tools, budget)
        return PricedEnvironment(briefing, state, user, tools, budget)

    def _problem(self, task: InteractTask) -> str:
        opened = self._databases.get(task.public.database)
        if opened is None:
            return missing_database(task.public.database, "postgresql:NAME")
        return self._passed.problem(task, opened.fingerprint, partial(self._gold_problem, opened))

    def _gold_problem(self, opened: OpenDatabase, task: InteractTask) -> str:
        with closing(opened.database.writable()) as workspace:
            return check_gold(task, workspace, self._grader, self._limits.statement_seconds)
