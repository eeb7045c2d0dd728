"""The prompt: the rules of labelling, the tables with their meanings, and the examples."""

from functools import cache
from importlib.resources import files

from wardround.agents.sql_writer.examples import Examples
from wardround.core.task import Briefing
from wardround.ehr.database import Database, open_database
from wardround.ehr.schema import load_schema, recognise
from wardround.models.messages import Message


class Prompts:
    """Writes the messages for a question.

    What all questions of a database share stands first, so that a server can keep it.

    Args:
        examples: where examples are taken from.
        k: how many.
    """

    def __init__(self, examples: Examples, k: int) -> None:
        self._examples = examples
        self._k = k

    def messages(self, briefing: Briefing, question: str) -> list[Message]:
        """Rules and tables, then the examples, the question last."""
        shown = [
            f"Question: {pair.question}\nSQL: {pair.sql or 'null'}"
            for pair in self._examples.like(question, self._k)
        ]
        asked = "\n\n".join([*shown, f"Question: {question}\nSQL:"])
        return [Message("system", _instructions(briefing)), Message("user", asked)]


def _instructions(briefing: Briefing) -> str:
    facts = briefing.facts
    filled = files(__package__).joinpath("rules.md").read_text("utf-8")
    for name in ("dialect", "current_time"):
        filled = filled.replace("{{ " + name + " }}", facts[name])
    return filled.replace("{{ tables }}", _tables(facts["location"]))


@cache
def _tables(location: str) -> str:
    """All tables of the database there; read once."""
    database = open_database(location)
    try:
        return describe_tables(database)
    finally:
        database.close()


def describe_tables(database: Database) -> str:
    """Each table with its columns, and what they mean where the schema is a known one."""
    columns = {table: [c.name for c in database.columns(table)] for table in database.tables()}
    meanings = _meanings(recognise(columns))
    lines = []
    for table, names in columns.items():
        lines.append(f"{table}: {meanings.get((table.lower(), ''), '')}".rstrip(": "))
        lines += [f"- {name}: {meanings.get((table.lower(), name.lower()), '')}" for name in names]
    return "\n".join(line.rstrip(": ") for line in lines)


def _meanings(schema: str | None) -> dict[tuple[str, str], str]:
    """What tables and columns mean, by lower-case names; a table's own under an empty column."""
    tables = load_schema(schema).tables if schema else ()
    found = {(table.name.lower(), ""): table.meaning for table in tables}
    for table in tables:
        for column in table.columns:
            found[table.name.lower(), column.name.lower()] = column.meaning
    return found
