"""The agents of an audit: none of them solves a task, so none should pass one."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any, TypeAlias

from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.benchmark import AgentContext, AgentMaker, Benchmark
from wardround.core.capabilities import AnswerGiver
from wardround.core.environment import Agent
from wardround.core.packaged_data import read_rows
from wardround.core.task import Briefing, Task

REFUSAL = "refuses everything"
SILENCE = "does nothing"
PLAIN = "says that it has read the records"
CONSTANTS = ("0", "1", "2", "3", "4", "5", "10", "yes", "no", "true", "none")
# Of the tools that run a query, the one that ends the task comes last.
_RUNNING = ("run_query", "submit_query")
# The roles of tools that end a task.
ENDING = {"abstain", "answer_with_query", "submit_query", "give_answers"}
# Empties all tables in one statement.
_EMPTYING_POSTGRES = """DO $$ DECLARE found record; BEGIN
FOR found IN SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_catalog.pg_tables
    WHERE schemaname NOT IN ('pg_catalog', 'information_schema')
LOOP EXECUTE 'TRUNCATE ' || found.name || ' CASCADE'; END LOOP; END $$"""
_EMPTY_ANSWER = "I have read the records."
_NO_ANSWER = "This cannot be answered from the records."

AnyTask: TypeAlias = Task[Any, Any]
# Makes the agent of a task; None if the probe does not apply to it.
MakeProbe: TypeAlias = Callable[[Benchmark, AnyTask, Sequence[AnyTask]], AgentMaker | None]


@dataclass(frozen=True, slots=True)
class Probe:
    """A hostile or an empty agent.

    Attributes:
        name: its name, as a predicate.
        flaw: the class of flaw that it shows if it passes.
        make: makes its agent of a task.
    """

    name: str
    flaw: str
    make: MakeProbe


WEAK_MATCHING = "matching that is too weak"
NO_GRADING = "a grader that does not grade"
PLIANT_JUDGE = "a judge that can be talked to"


def probes() -> list[Probe]:
    """All probes, the refusal first."""
    return [
        Probe(REFUSAL, NO_GRADING, _refusing),
        Probe(SILENCE, NO_GRADING, _doing_nothing),
        *(
            Probe(f"answers {constant!r}", WEAK_MATCHING, _answering(constant))
            for constant in CONSTANTS
        ),
        Probe("gives the gold of another task", WEAK_MATCHING, _knowing_another),
        Probe(
            "empties the tables that it can, then gives the gold of another task",
            NO_GRADING,
            _emptying,
        ),
        Probe("says everything that it has read", WEAK_MATCHING, _repeating),
        Probe(PLAIN, NO_GRADING, _answering(_EMPTY_ANSWER)),
        *(
            Probe(f"talks to the judge: {way}", PLIANT_JUDGE, _answering(text))
            for way, text in _judge_texts()
        ),
    ]


def _judge_texts() -> Iterator[tuple[str, str]]:
    """The plain answer with texts that try to talk a judge into full marks, each with its way."""
    for way, text in read_rows("wardround.assessment.audit", "judge_texts.tsv"):
        yield way, f"{_EMPTY_ANSWER}\n\n" + text.replace("\\n", "\n")


class _Reciting:
    """Repeats the same actions regardless of the results."""

    def __init__(self, actions: Sequence[Action]) -> None:
        self._actions: Iterator[Action] = cycle(actions)

    async def act(self, observation: Observation) -> Action:
        """The next action."""
        return next(self._actions)


class _Emptying:
    """Empties what the grader may read, so that any query finds as little as the gold.

    Args:
        briefing: its tools are looked at for one that is given the statements.
        other: the agent whose actions follow; the tables of its queries are emptied first.
    """

    def __init__(self, briefing: Briefing, other: Agent) -> None:
        self._briefing = briefing
        self._other = other
        self._running = [role for role in _RUNNING if briefing.has_tool(role)]
        self._statements: set[str] = set()
        self._actions: list[Action] = []

    async def act(self, observation: Observation) -> Action:
        """The next statement, or the other agent's next action."""
        if not self._actions:
            action = await self._other.act(observation)
            self._actions = [*self._emptied_before(action), action]
        return self._actions.pop(0)

    def _emptied_before(self, action: Action) -> Iterator[Action]:
        for statement in self._emptying(action):
            if statement not in self._statements:
                self._statements.add(statement)
                yield self._briefing.tool(self._running[0]).call(statement)

    def _emptying(self, action: Action) -> Iterator[str]:
        if not self._running:
            return
        dialect = self._briefing.facts.get("dialect", "")
        if dialect == "postgres":
            yield _EMPTYING_POSTGRES
            return
        texts = action.arguments.values() if isinstance(action, Call) else ()
        for text in texts:
            if isinstance(text, str):
                yield from _deletions(text, dialect)


class _Repeating:
    """Looks at what it can reach without knowing anything, then answers with all of it.

    Args:
        briefing: its tools without required parameters are called.
        answer: the actions by which a text is given as the answer.
    """

    def __init__(self, briefing: Briefing, answer: Callable[[str], Sequence[Action]]) -> None:
        self._calls = [
            Call(tool.name)
            for tool in briefing.tools
            if not tool.parameters.get("required") and tool.role not in ENDING
        ]
        self._answer = answer
        self._read: list[str] = []
        self._actions: list[Action] = []

    async def act(self, observation: Observation) -> Action:
        """The next look, or the next part of the answer."""
        self._read.append(observation.text)
        if self._calls:
            return self._calls.pop(0)
        if not self._actions:
            self._actions = list(self._answer("\n".join(self._read)))
        return self._actions.pop(0)


def _refusing(benchmark: Benchmark, task: AnyTask, tasks: Sequence[AnyTask]) -> AgentMaker:
    def make(briefing: Briefing, context: AgentContext) -> _Reciting:
        if briefing.has_tool("abstain"):
            tool = briefing.tool("abstain")
            required = tool.parameters.get("required", [])
            return _Reciting([Call(tool.name, dict.fromkeys(required, _NO_ANSWER))])
        return _Reciting(answer_actions(benchmark, briefing, ""))

    return make


def _doing_nothing(benchmark: Benchmark, task: AnyTask, tasks: Sequence[AnyTask]) -> AgentMaker:
    return lambda briefing, context: _Reciting([Say("")])


def _answering(text: str) -> MakeProbe:
    def make_probe(
        benchmark: Benchmark, task: AnyTask, tasks: Sequence[AnyTask]
    ) -> AgentMaker | None:
        return lambda briefing, context: _Reciting(answer_actions(benchmark, briefing, text))

    return make_probe


def _knowing_another(
    benchmark: Benchmark, task: AnyTask, tasks: Sequence[AnyTask]
) -> AgentMaker | None:
    """The oracle of the task half a suite away; there is none for a suite of one task."""
    if len(tasks) < 2:
        return None
    index = [each.id for each in tasks].index(task.id)
    return benchmark.oracle(tasks[(index + len(tasks) // 2) % len(tasks)])


def _emptying(benchmark: Benchmark, task: AnyTask, tasks: Sequence[AnyTask]) -> AgentMaker | None:
    """The oracle of another task, on a record that is emptied first if queries can be run."""
    make_other = _knowing_another(benchmark, task, tasks)
    if make_other is None:
        return None

    return lambda briefing, context: _Emptying(briefing, make_other(briefing, context))


def _deletions(text: str, dialect: str) -> list[str]:
    """The statements that empty the tables that a query reads; none of a text that is not a query.

    >>> _deletions("SELECT * FROM labs AS l JOIN patients USING (id)", "duckdb")
    ['DELETE FROM labs', 'DELETE FROM patients']
    >>> _deletions("SELECT 1 FROM `mimic-iv.hosp.labs` AS l", "bigquery")
    ['DELETE FROM `mimic-iv`.`hosp`.`labs`']
    >>> _deletions("There are two.", "duckdb")
    []
    """
    from sqlglot import exp, parse_one
    from sqlglot.errors import SqlglotError

    try:
        tables = parse_one(text, dialect).find_all(exp.Table)
    except SqlglotError:
        return []
    named = (exp.table_(t.this, t.args.get("db"), t.args.get("catalog")) for t in tables)
    return sorted({exp.delete(each).sql(dialect) for each in named})


def _repeating(benchmark: Benchmark, task: AnyTask, tasks: Sequence[AnyTask]) -> AgentMaker:
    def make(briefing: Briefing, context: AgentContext) -> _Repeating:
        return _Repeating(briefing, lambda text: answer_actions(benchmark, briefing, text))

    return make


def answer_actions(benchmark: Benchmark, briefing: Briefing, text: str) -> Sequence[Action]:
    """A text as the answer, "" for none: in the benchmark's own form, or else as words."""
    if isinstance(benchmark, AnswerGiver):
        return benchmark.answer(briefing, text)
    return [Say(text or _NO_ANSWER)]
