"""The prompt: rules for SQL, the tables with their meanings, and examples."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

from wardround.agents.sql_writer.examples import Examples
from wardround.core.task import Briefing
from wardround.ehr.schema import load_schema, recognise
from wardround.models.messages import Message


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
