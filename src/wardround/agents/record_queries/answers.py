"""Asks a language model for a query; checks it against the question and beside the parser's."""

from asyncio import to_thread
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any

import orjson
from pydantic import Field
from sqlglot import exp

from wardround.agents.json_actions import JsonActionsAgent
from wardround.agents.native_tools import ToolCallingAgent
from wardround.agents.parser.answer import Answer, Answers
from wardround.agents.parser.grammar.grammar import Grammar, grammar_of
from wardround.agents.record_queries.form_reading import read_form
from wardround.agents.record_queries.sql_reading import (
    query_words,
    read_query,
    runnable,
    table_list,
    table_names,
)
from wardround.agents.record_queries.word_check import words_left_out
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.errors import AgentError, ToolError
from wardround.core.limits import Limits
from wardround.core.loop import Turns, converse
from wardround.core.task import Briefing
from wardround.core.tools import Tool, Toolbox, tool
from wardround.core.trajectory import Ledger, Noted, Trajectory
from wardround.ehr.database import Database, ResultTable
from wardround.ehr.query import Condition, Words, link_condition, to_sql, to_words
from wardround.ehr.records import RecordMap, Views, dialect_of, view
from wardround.ehr.times import substitute_words
from wardround.models.client import LanguageModel
from wardround.models.prompts import fill

NOBODY = "Nobody is listening: call a tool, and end with submit_sql or abstain."
_SAME = 3  # submissions of the same query that fails

LIMITS = Limits(actions=12, seconds=600.0)
_ROWS = 1000

SUBMIT, ABSTAIN = "submit_sql", "abstain"
_NAMES = 50
_SHOWN_ROWS = 20

Count = Annotated[int, Field(ge=1, le=200)]


class RecordEnvironment:
    """Asks one question.

    Attributes:
        query: The query that was submitted and ran; None before.
        reason: Why the model abstained.
        failed: The queries that were submitted and did not run, with their errors.
    """

    def __init__(self, rules: str, question: str, tools: Toolbox) -> None:
        self.briefing = Briefing(rules, tools.specs)
        self.query: str | None = None
        self.reason = ""
        self.failed: list[tuple[str, str]] = []
        self._question = question
        self._tools = tools

    async def start(self) -> Observation:
        """The question."""
        return Observation(self._question, "user")

    async def step(self, action: Action) -> Observation:
        """The result of a tool; a query that fails is no answer."""
        match action:
            case Say():
                return Observation(NOBODY, "environment")
            case Call(tool, arguments):
                try:
                    text = await self._tools.run(action)
                except ToolError as error:
                    done = tool == SUBMIT and self._is_stuck(str(arguments["query"]), str(error))
                    return Observation(f"Error: {error}", "tool", done=done)
                if tool == SUBMIT:
                    self.query = str(arguments["query"])
                elif tool == ABSTAIN:
                    self.reason = str(arguments.get("reason", ""))
                return Observation(text, "tool", done=tool in (SUBMIT, ABSTAIN))

    def _is_stuck(self, query: str, error: str) -> bool:
        """True if a query has failed as often as it is worth hearing why."""
        self.failed.append((query, error))
        return self.failed.count((query, error)) >= _SAME

    async def close(self) -> None:
        """Does nothing: the database belongs to the caller."""


@dataclass(frozen=True)
class ModelAnswerer:
    """Answers questions with the queries that a language model writes.

    A query is an answer only if it stands for each word of the question. If the parser reads the
    question differently and gets other rows, the answer has a doubt.

    Attributes:
        parser: The answerer without a model.
        views: All kinds of record of the database.
        run: Runs a coroutine in the event loop that holds the model's connections.
    """

    parser: Answers
    grammar: Grammar
    database: Database
    views: Views
    model: LanguageModel
    run: Callable[[Coroutine[Any, Any, Any]], Any]

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences on all answers."""
        return self.parser.notes

    def answer(self, question: str) -> Answer:
        """Answer a question, or refuse it with reasons."""
        parsed = self.parser.answer(question)
        environment = self._environment_after(question)
        if environment.query is None:
            return self._refused(environment, parsed)
        tree = read_query(environment.query, self.views)
        understood = self._in_words(tree)
        left_out = tuple(self._left_out(question, tree))
        if left_out:
            reasons = tuple(f'The query of the model leaves "{words}" out.' for words in left_out)
            return Answer(None, None, understood, reasons, doubts=tuple(self._disagreement(parsed)))
        sql = substitute_words(runnable(tree, self.views), self.parser.words)
        answer = Answer(sql, None, understood)
        return replace(answer, doubts=tuple(self._doubts(sql, parsed)))

    def _environment_after(self, question: str) -> RecordEnvironment:
        """The environment after the model has answered.

        Raises:
            AgentError: The model answered in no form that can be carried out.
        """
        words = dict(self.parser.words)
        seconds = LIMITS.statement_seconds
        tools = Toolbox(record_tools(self.database, self.views, self.grammar, words, seconds))
        environment = RecordEnvironment(self._rules(), question, tools)
        trajectory, ledger = Trajectory(), Ledger()
        model = self.model.bind("agent", ledger.record, 0)
        kind = JsonActionsAgent if self.model.settings.base_url else ToolCallingAgent
        agent = kind(environment.briefing, model)
        self.run(converse(agent, Turns(environment, trajectory, LIMITS, ledger)))
        for event in trajectory.events:
            if isinstance(event, Noted) and event.subject == "agent_error":
                raise AgentError(f"{self.model.settings.name}: {event.data['reason']}.")
        return environment

    def _rules(self) -> str:
        return fill(
            __package__,
            "rules.md",
            dialect=self.views.dialect,
            tables=table_list(self.views),
            written="".join(self._written()),
            actions=LIMITS.actions,
        )

    def _written(self) -> Iterator[str]:
        for role, meanings in self.views.written.items():
            listed = ", ".join(f"{each} is {' or '.join(t)}" for each, t in meanings.items())
            yield f"- `{role.kind}.{role.column}`: {listed}.\n"

    def _in_words(self, tree: exp.Query) -> tuple[str, ...]:
        """The reading of a query: that of the logical form if it has the same rows."""
        form = read_form(tree, self.views)
        if form is not None:
            same = to_sql(form, self.views)
            if self._rows(same) == self._rows(runnable(tree, self.views)):
                return to_words(form)
        return query_words(tree, self.views.dialect)

    def _rows(self, sql: str) -> list[str]:
        result = self.database.execute(substitute_words(sql, self.parser.words), rows=_ROWS)
        return sorted(map(str, result.rows))

    def _left_out(self, question: str, tree: exp.Query) -> Iterator[str]:
        reading, items = self.grammar.tagged(question)
        yield from words_left_out(items, reading, tree, self.views)

    def _refused(self, environment: RecordEnvironment, parsed: Answer) -> Answer:
        name = self.model.settings.name
        reason = environment.reason or f"it submitted no query in {LIMITS.actions} actions"
        if not environment.reason and environment.failed:
            reason = f"its last query does not run ({environment.failed[-1][1].rstrip('.')})"
        text = f"{name} gives no answer: {reason.rstrip('.')}."
        return Answer(None, None, (), (text,), doubts=tuple(self._disagreement(parsed)))

    def _doubts(self, sql: str, parsed: Answer) -> Iterator[str]:
        """A sentence if the parser answers with other rows."""
        if parsed.sql is None:
            yield "The parser does not understand the question, so nothing confirms the query."
            return
        theirs = self._rows(parsed.sql)
        if theirs != self._rows(sql):
            yield f"The parser gets {_rows_in_words(theirs)}, for it reads: {_sentences(parsed)}"

    def _disagreement(self, parsed: Answer) -> Iterator[str]:
        if parsed.sql is not None:
            yield f"The parser has an answer; without --model it reads: {_sentences(parsed)}"


def open_model_answerer(
    parser: Answers,
    database: Database,
    records: RecordMap,
    model: LanguageModel,
    run: Callable[[Coroutine[Any, Any, Any]], Any],
) -> ModelAnswerer:
    """A model's answers over the records of a map, beside those of the parser."""
    dialect = dialect_of(database)
    sql = {kind: view(records, kind, dialect) for kind in records.kinds}
    columns = {kind: records.columns(kind) for kind in records.kinds}
    views = Views(dialect, sql, columns, records.written)
    grammar = parser.grammar or grammar_of(records, database)
    return ModelAnswerer(parser, grammar, database, views, model, run)


def _sentences(parsed: Answer) -> str:
    return " ".join(parsed.understood)


def _rows_in_words(rows: Sequence[str]) -> str:
    """A single row, or the number of rows."""
    return rows[0].strip("(),") if len(rows) == 1 else f"{len(rows)} rows"


def record_tools(
    database: Database, views: Views, grammar: Grammar, words: dict[str, str], seconds: float
) -> list[Tool]:
    """The tools of a database's records.

    Args:
        database: The database, read only.
        views: Its kinds of record.
        grammar: Finds recorded names.
        words: SQL for the words that queries leave open.
        seconds: The time limit of a statement.
    """

    async def result_of(query: str, rows: int) -> ResultTable:
        sql = substitute_words(runnable(read_query(query, views), views), words)
        return await to_thread(partial(database.execute, sql, rows=rows, seconds=seconds))

    def find_names(kind: str, text: str) -> str:
        """Lists how the records write the name of a drug, diagnosis, procedure or test.

        Args:
            kind: the table, such as drug.
            text: a name for it.
        """
        if kind not in table_names(views):
            raise ToolError(f"There is no table {kind}; the tables are {table_names(views)}.")
        names = _names(kind, text, grammar)
        return orjson.dumps({"names": names[:_NAMES], "number": len(names)}).decode()

    async def run_sql(query: str, k: Count = _SHOWN_ROWS) -> str:
        """Runs one SELECT statement over the tables and returns its columns and up to k rows.

        Args:
            query: a single SELECT statement.
            k: how many rows at most.
        """
        result = await result_of(query, k)
        table = {"columns": result.columns, "rows": result.rows, "truncated": result.truncated}
        return orjson.dumps(table, default=str).decode()

    async def submit_sql(query: str) -> str:
        """Answers the question with the result of one SELECT statement; this ends the task.

        Args:
            query: a single SELECT statement.
        """
        await result_of(query, 1)
        return "Submitted."

    def abstain(reason: str = "") -> str:
        """Says that the records cannot answer the question; this ends the task.

        Args:
            reason: why, in a few words.
        """
        return "Abstained."

    return [tool(find_names), tool(run_sql), tool(submit_sql), tool(abstain)]


def _names(kind: str, text: str, grammar: Grammar) -> list[str]:
    """The recorded texts of a kind that words are linked to, in any column of names."""
    roles = [role for role in grammar.texts if role.kind == kind]
    named = Condition(kind, tuple((role, Words(text)) for role in roles))
    linked = link_condition(named, grammar.link).values
    texts = (each for _, value in linked if isinstance(value, tuple) for each in value)
    return list(dict.fromkeys(texts))
