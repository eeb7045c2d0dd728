"""The EHR-ChatQA benchmark: opens databases and simulated users, runs and grades tasks."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

from wardround.benchmarks.chatqa import scorer
from wardround.benchmarks.chatqa.declaration import BENCHMARK, CURRENT_TIME, ChatOptions
from wardround.benchmarks.chatqa.environment import ChatEnvironment, agent_rules
from wardround.benchmarks.chatqa.gold import check_gold
from wardround.benchmarks.chatqa.judge import Graders, QueryGrader, verdicts
from wardround.benchmarks.chatqa.oracle import oracle
from wardround.benchmarks.chatqa.people import People, early_name, open_people, user_of
from wardround.benchmarks.chatqa.tasks import ChatTask, load_tasks, shipped_name, shipped_tasks
from wardround.benchmarks.chatqa.tools import chat_tools, sql_tool
from wardround.benchmarks.chatqa.web_search import open_search
from wardround.benchmarks.kit.constant_queries import constant_query
from wardround.benchmarks.kit.databases import (
    close_databases,
    missing_database,
    named_table,
    open_databases,
)
from wardround.core.actions import Action, Call, Say
from wardround.core.benchmark import (
    AgentMaker,
    JudgeContext,
    Score,
    Summary,
    TrialContext,
)
from wardround.core.capabilities import Explanation, Reply, Validation
from wardround.core.current_time import CurrentTime
from wardround.core.declaration import Opening
from wardround.core.errors import UserError
from wardround.core.harms import Harm
from wardround.core.limits import Limits
from wardround.core.record import TrialRecord
from wardround.core.task import EVERY_TASK, Briefing, Chosen, Suite, runnable
from wardround.core.tools import Toolbox
from wardround.core.trajectory import Trajectory
from wardround.core.verdict import Verdict
from wardround.ehr.database import Database, ResultTable, empty_tables, open_database
from wardround.ehr.schema import recognise
from wardround.ehr.terms.reference import SearchProvider
from wardround.ehr.times.record_end import current_time
from wardround.ehr.values import ValueIndexes, build_indexes, find_embedder, preindexed_columns
from wardround.models.roles import Models
from wardround.people.person import RealPerson

if TYPE_CHECKING:
    from wardround.benchmarks.chatqa.failures.classifier import FailureClassifier

# The flow in which a person may ask anything; the other one ends with a tagged answer.
OPEN_QUESTIONS = "incre"
LAYOUTS = tuple(layout.name for layout in BENCHMARK.layouts)


@dataclass(frozen=True, slots=True)
class OpenDatabase:
    """A database with what all trials share.

    Attributes:
        database: the database.
        schema: its layout.
        tools: the five tools.
        now: its current time.
        empty: its tables without rows, which no gold may read.
    """

    database: Database
    schema: str
    tools: Toolbox
    now: CurrentTime
    empty: tuple[str, ...] = ()


class ChatBenchmark:
    """The opened benchmark. Trials share its databases, which are read only."""

    declaration = BENCHMARK

    def __init__(
        self,
        databases: Mapping[str, OpenDatabase],
        people: People,
        opening: Opening[ChatOptions, Models],
    ) -> None:
        self._databases = databases
        self._people = people
        self._limits = opening.limits
        self._classifier = _classifier_of(opening.models)

    @classmethod
    def open(cls, opening: Opening[ChatOptions, Models]) -> Self:
        """Opens databases, search provider and people as the run's settings say.

        Raises:
            UserError: a database, model or search provider cannot be opened.
        """
        options = opening.options
        web = open_search(options.web_search)
        databases = open_databases(
            opening.databases or shipped_databases(),
            lambda name, location: _open_database(location, web, options, opening.limits),
        )
        times = {name: opened.now.time for name, opened in databases.items()}
        try:
            return cls(databases, open_people(options, opening.models, times), opening)
        except UserError:
            close_databases(databases)
            raise

    @staticmethod
    def read(source: Path | None) -> Suite:
        """Reads the tasks of a file, or shipped tasks: of a suite by its name, or the newest."""
        name = shipped_name(source)
        return load_tasks(source) if source and not name else shipped_tasks(name)

    def load(self, source: Path | None, chosen: Chosen = EVERY_TASK) -> Suite:
        """Reads tasks; those that cannot be graded on these databases become defects.

        Raises:
            UserError: the file is missing, or none of its tasks can be run.
        """
        if shipped_name(source):
            _check_shipped(self._databases)
        suite = self.read(source)
        return runnable(chosen.of(suite), self._problem)

    async def environment(self, task: ChatTask, context: TrialContext) -> ChatEnvironment:
        """Builds the environment of one attempt: a briefing without gold, a user, and the tools."""
        opened = self._databases[task.public.database]
        user = user_of(self._people, task, context)
        grader = QueryGrader(task, context.verdicts.append)
        sql = sql_tool(opened.database, self._limits.statement_seconds, grader.ran)
        tools = opened.tools.with_tool(sql)
        briefing = self._briefing(task.public.flow, task.public.database, tools)
        return ChatEnvironment(briefing, user, tools, grader.called)

    def consultation(self, question: str, reply: Reply, context: TrialContext) -> ChatEnvironment:
        """Builds the environment of a person who asks what they like of the one open database."""
        (name,) = self._databases
        opened = self._databases[name]
        seconds = context.limits.statement_seconds
        tools = opened.tools.with_tool(sql_tool(opened.database, seconds, _not_graded))
        briefing = self._briefing(OPEN_QUESTIONS, name, tools)
        briefing = replace(briefing, facts={**briefing.facts, "questions": "many"})
        return ChatEnvironment(briefing, RealPerson(question, reply), tools)

    async def validate(
        self, task: ChatTask, trajectory: Trajectory, context: TrialContext
    ) -> Validation:
        """Checks that the user kept its rules (paper, A.4), and named nothing before its time."""
        if name := early_name(task.hidden.withheld, trajectory):
            return Validation("user_error", f"The user named {name} before the agent did.")
        return await self._people.validate(task, trajectory, context)

    async def judge(
        self, task: ChatTask, trajectory: Trajectory, context: JudgeContext
    ) -> AsyncIterator[Verdict]:
        """Grades the queries whose results were truncated for the agent (paper, A.6).

        A classifier, if there is one, names the cause of a failure that the program leaves open.
        """
        known = [*context.known.values()]
        graders = Graders(self._database_of, self._limits.statement_seconds)
        async for verdict in verdicts(task, trajectory, graders, context):
            known.append(verdict)
            yield verdict
        if self._classifier and scorer.is_cause_open(task, trajectory, known):
            async for verdict in self._classifier.verdicts(task, trajectory, context):
                yield verdict

    @staticmethod
    def score(task: ChatTask, trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Score:
        """Scores a trial by published and strict grading (paper, A.6)."""
        return scorer.score(task, trajectory, verdicts)

    @staticmethod
    def explain(task: ChatTask, trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Explanation:
        """Shows the instruction and gold beside the nearest query or the last answer."""
        return scorer.explanation(task, trajectory, verdicts)

    @staticmethod
    def harms(trials: Sequence[TrialRecord]) -> Mapping[tuple[str, int], Mapping[Harm, bool]]:
        """Tells which answers mislead, and which ignore what is open."""
        return scorer.harms(trials)

    @staticmethod
    def answer(briefing: Briefing, text: str) -> Sequence[Action]:
        """Queries a text as a constant, and says it as the answer."""
        query = Call("sql_execute", {"query": constant_query(text)})
        return [query, Say(f"<answer>{text}</answer>")]

    @staticmethod
    def summarize(trials: Sequence[TrialRecord]) -> Summary:
        """Builds the paper's Table 3 and Figure 3, and the breakdowns."""
        from wardround.benchmarks.chatqa.report import summarize  # not needed to run trials

        return summarize(trials)

    def oracle(self, task: ChatTask) -> AgentMaker:
        """Makes agents that know this task's gold."""
        return oracle(task)

    def fingerprints(self) -> dict[str, str]:
        """Returns each database's content hash, by the name that tasks use."""
        return {name: opened.database.fingerprint() for name, opened in self._databases.items()}

    def current_times(self) -> dict[str, CurrentTime]:
        """Returns each database's current time, by the name that tasks use."""
        return {name: opened.now for name, opened in self._databases.items()}

    def close(self) -> None:
        """Closes the databases."""
        close_databases(self._databases)

    def _database_of(self, task: ChatTask) -> Database:
        return self._databases[task.public.database].database

    def _problem(self, task: ChatTask) -> str:
        opened = self._databases.get(task.public.database)
        if opened is None:
            return missing_database(task.public.database, "FILE")
        if empty := named_table(task.hidden.gold_sql, opened.empty):
            return f"its gold reads the table {empty}, which is empty; load the whole database."
        return check_gold(task, opened.database, self._limits)

    def _briefing(self, flow: str, database: str, tools: Toolbox) -> Briefing:
        opened = self._databases[database]
        facts = {
            "flow": flow,
            "database": database,
            "dialect": opened.database.dialect,
            "current_time": opened.now.time,
        }
        rules = agent_rules(facts, opened.schema, self._limits)
        return Briefing(rules, tools.specs, facts)


def shipped_databases() -> dict[str, str]:
    """Returns the synthetic hospitals by name, creating their files on first use."""
    from wardround.ehr.hospital import default_eicu_hospital, default_hospital

    return {"mimic_iv_star": str(default_hospital()), "eicu_star": str(default_eicu_hospital())}


def _check_shipped(databases: Mapping[str, OpenDatabase]) -> None:
    """Refuses to run the shipped tasks on any other databases than theirs.

    On another database some golds would match by chance, and their tasks would run.

    Raises:
        UserError: a database is another one.
    """
    for name, location in shipped_databases().items():
        opened = databases.get(name)
        if opened is None or Path(opened.database.url).resolve() != Path(location).resolve():
            raise UserError(
                "The shipped tasks belong to the synthetic hospitals that come with them; leave "
                "--database out, or name tasks for your database with --tasks."
            )


def _open_database(
    location: str, web: SearchProvider, options: ChatOptions, limits: Limits
) -> OpenDatabase:
    embedder = find_embedder(options.embedder)
    database = open_database(location)
    empty = empty_tables(database)
    columns = {table: [c.name for c in database.columns(table)] for table in database.tables()}
    schema = recognise(columns) or "other"
    indexes = ValueIndexes(database, embedder)
    build_indexes(indexes, preindexed_columns(schema))
    tools = Toolbox(chat_tools(database, indexes, web))
    named = options.current_time
    now = CurrentTime(named) if named else current_time(database, CURRENT_TIME, LAYOUTS)
    return OpenDatabase(database, schema, tools, now, tuple(empty))


def _not_graded(query: str, result: ResultTable | None) -> None:
    """Leaves the queries of a real person's conversation ungraded."""


def _classifier_of(models: Models) -> "FailureClassifier | None":
    """The classifier of open causes, if it has a model."""
    if (model := models.find("classifier")) is None:
        return None
    from wardround.benchmarks.chatqa.failures.classifier import FailureClassifier

    return FailureClassifier(model)
