"""An agent that prompts for several queries, tries each, and answers if enough of them agree."""

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from json import JSONDecoder
from typing import Any

import orjson
from pydantic import BaseModel, Field

from wardround.agents.sql_writer.examples import Examples
from wardround.core.actions import Action, Observation
from wardround.core.errors import MalformedAnswerError
from wardround.core.task import Briefing
from wardround.ehr.schema import load_schema, recognise
from wardround.models.messages import Message
from wardround.models.model import Model

DECIMALS = 3
NO_ANSWER = "no answer"

NULL = "null"


class Written(BaseModel):  # models are sent its docstring and descriptions with its schema
    """What the model answers."""

    sql: str = Field(
        min_length=1, description="one SELECT statement; null when the records have no answer"
    )


class SqlWriter:
    """Samples SQL for the question and submits the query whose result enough samples have.

    Each query is tried as an action, at its price, unless that would leave too little to submit.

    Args:
        messages: makes the prompt for a question.
        models: the model once per sample, each with its own seed.
        threshold: the least share of samples that must agree.
        briefing: its tools run, submit and abstain.
    """

    def __init__(
        self,
        messages: Callable[[str], list[Message]],
        models: Sequence[Model],
        threshold: float,
        briefing: Briefing,
    ) -> None:
        self._messages = messages
        self._models = models
        self._threshold = threshold
        self._run = briefing.tool("run_query")
        self._submit = briefing.tool("answer_with_query")
        self._abstain = briefing.tool("abstain")
        self._steps: Generator[Action, Observation, None] | None = None

    async def act(self, observation: Observation) -> Action:
        """Returns the next query to try, then the answer."""
        if self._steps is None:
            messages = self._messages(observation.text)
            samples = await asyncio.gather(*(_sample(model, messages) for model in self._models))
            self._steps = self._answer(samples, observation)
            return next(self._steps)
        return self._steps.send(observation)

    def _answer(
        self, samples: Sequence[str | None], observation: Observation
    ) -> Generator[Action, Observation, None]:
        results: dict[str | None, str | None] = {None: None, NULL: NO_ANSWER}
        needed = self._run.price + self._submit.price
        for sql in samples:
            if sql not in results:
                results[sql] = None
                if observation.budget is None or observation.budget >= needed:
                    observation = yield self._run.call(sql)
                    results[sql] = result_of(observation.text)
        decision = decide([Vote(sql, results[sql]) for sql in samples], self._threshold)
        if decision.sql is None:
            yield self._abstain.call(decision.reason, confidence=decision.confidence)
        else:
            yield self._submit.call(decision.sql, confidence=decision.confidence)


async def _sample(model: Model, messages: Sequence[Message]) -> str | None:
    """A query, "null" for no answer, or None for an unreadable reply."""
    try:
        sql = (await model.structured(messages, Written)).sql.strip().rstrip(";").rstrip()
    except MalformedAnswerError:
        return None
    return NULL if sql.lower() == NULL else sql


@dataclass(frozen=True, slots=True)
class Vote:
    """One sample.

    Attributes:
        sql: its query; None if the sample could not be read.
        result: the query's result in a canonical form; `NO_ANSWER` if the sample says that there
            is none, None if the query failed, was not tried, or the sample could not be read.
    """

    sql: str | None
    result: str | None


@dataclass(frozen=True, slots=True)
class Decision:
    """The outcome of a vote.

    Attributes:
        sql: the query to submit, None to abstain.
        confidence: the confidence in that, from 0 to 1.
        reason: why there is no query.
    """

    sql: str | None
    confidence: float
    reason: str = ""


def decide(votes: Sequence[Vote], threshold: float) -> Decision:
    """Chooses the first query with the result that most samples have, or none.

    Samples without a result count towards the total. Of two results with equal votes the one
    sampled first wins.

    Args:
        votes: at least one.
        threshold: the least share of votes for an answer.

    >>> decide([Vote("a", "[1]"), Vote("b", "[1]"), Vote("c", None)], 0.5)
    Decision(sql='a', confidence=0.6666666666666666, reason='')
    >>> decide([Vote("a", "[1]"), Vote(None, "no answer"), Vote("c", None)], 0.5).sql is None
    True
    """
    counts = Counter(vote.result for vote in votes if vote.result is not None)
    if not counts:
        return Decision(None, 1.0, "no sample gives a query that runs")
    [(result, number)] = counts.most_common(1)
    share = number / len(votes)
    if result == NO_ANSWER:
        return Decision(None, share, f"{number} of {len(votes)} samples see no answer")
    if share < threshold:
        return Decision(None, 1 - share, f"only {number} of {len(votes)} samples agree")
    return Decision(next(vote.sql for vote in votes if vote.result == result), share)


def result_of(text: str) -> str | None:
    """The result of a query in canonical form; None for an error.

    Column names and the order of rows do not count; numbers are rounded to three decimals.

    >>> result_of('{"columns": ["n"], "rows": [[2.0001], [1]], "truncated": false}')
    '[["1.0"],["2.0"]]'
    >>> result_of("Error: no such table")
    """
    if not text.startswith("{"):
        return None
    value, _ = JSONDecoder().raw_decode(text)  # the rest of the budget may follow
    rows = [[_cell(cell) for cell in row] for row in value["rows"]]
    return orjson.dumps(sorted(rows)).decode()


def _cell(value: Any) -> str:
    try:
        return str(round(float(value), DECIMALS))
    except (TypeError, ValueError):
        return str(value)


class Prompts:
    """Makes the messages for a question.

    The part that all questions share comes first, so that a server can cache it.

    Args:
        examples: the examples to choose from.
        k: how many to show.
    """

    def __init__(self, examples: Examples, k: int) -> None:
        self._examples = examples
        self._k = k

    def messages(self, briefing: Briefing, question: str) -> list[Message]:
        """Rules and tables, then the examples, then the question."""
        shown = [
            f"Question: {pair.question}\nSQL: {pair.sql or 'null'}"
            for pair in self._examples.similar(question, self._k)
        ]
        request = "\n\n".join([*shown, f"Question: {question}\nSQL:"])
        return [Message("system", _instructions(briefing)), Message("user", request)]


def _instructions(briefing: Briefing) -> str:
    filled = files(__package__).joinpath("rules.md").read_text("utf-8")
    for name in ("dialect", "current_time"):
        filled = filled.replace("{{ " + name + " }}", briefing.facts[name])
    return filled.replace("{{ tables }}", _described(briefing.rules))


@cache
def _described(rules: str) -> str:
    """The tables in the benchmark's instructions, as `describe_tables` lists them."""
    return describe_tables(tables_in(rules))


def tables_in(text: str) -> dict[str, list[str]]:
    r"""Column names by table, from `CREATE TABLE` text as `Database.definition` lays it out.

    >>> tables_in("Tables\nCREATE TABLE beds (\n    bed TEXT,\n    PRIMARY KEY (bed)\n)\n")
    {'beds': ['bed']}
    """
    return {
        table: [
            line.split()[0].rstrip(",") for line in body.splitlines() if not line.startswith(_KEYS)
        ]
        for table, body in _TABLE.findall(text)
    }


_TABLE = re.compile(r"^CREATE TABLE (.+) \(\n((?: {4}.+\n)+)\)", re.MULTILINE)
_KEYS = ("    PRIMARY KEY (", "    FOREIGN KEY (")


def describe_tables(columns: Mapping[str, Sequence[str]]) -> str:
    """Lists the tables with their columns, and their meanings if the schema is known.

    Args:
        columns: the columns of each table.
    """
    meanings = _meanings(recognise(columns))
    lines = []
    for table, names in columns.items():
        lines.append(f"{table}: {meanings.get((table.lower(), ''), '')}".rstrip(": "))
        lines += [f"- {name}: {meanings.get((table.lower(), name.lower()), '')}" for name in names]
    return "\n".join(line.rstrip(": ") for line in lines)


def _meanings(schema: str | None) -> dict[tuple[str, str], str]:
    """Meanings by table and column in lower case; a table's own has an empty column."""
    tables = load_schema(schema).tables if schema else ()
    meanings = {(table.name.lower(), ""): table.meaning for table in tables}
    for table in tables:
        for column in table.columns:
            meanings[table.name.lower(), column.name.lower()] = column.meaning
    return meanings
