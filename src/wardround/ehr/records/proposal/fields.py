"""The fields of a table's records: its own columns, and those of its dictionaries."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from statistics import mean

from wardround.ehr.database import Database
from wardround.ehr.database.names import quote_name
from wardround.ehr.records.proposal.facts import Column, ColumnFacts, Facts, TableFacts
from wardround.ehr.records.proposal.keys import Reference
from wardround.ehr.records.proposal.probes import look_up
from wardround.ehr.records.proposal.values import stem_and_unit, value_roles

_LONG = 60  # letters of a note


@dataclass(frozen=True)
class Field:
    """A column that a table's records can have.

    Attributes:
        facts: Its cells, one for each sampled row of the table.
        through: The reference to the dictionary that has it; None for the table's own column.
    """

    facts: ColumnFacts
    through: Reference | None = None

    @property
    def sql(self) -> str:
        """The column as it is written in the map."""
        return f"{quoted(self.alias)}.{quoted(self.facts.column.name)}"

    @property
    def alias(self) -> str:
        """The name of its table in the FROM clause."""
        return alias(self.through) if self.through else self.facts.column.table

    @cached_property
    def roles(self) -> Mapping[str, float]:
        """The roles that its values fit, with the shares that do."""
        return {**value_roles(self.facts), **_shapes(self)}


def alias(reference: Reference) -> str:
    """The name of a dictionary in a FROM clause, different for each column that refers to it."""
    return f"{reference.target.table}_{reference.column.name}"


def quoted(name: str) -> str:
    """A name as an expression writes it: in quotes only where it needs them.

    >>> quoted("charttime"), quoted("order"), quoted("Drug Name")
    ('charttime', '"order"', '"Drug Name"')
    """
    is_plain = re.fullmatch(r"[a-z_][a-z0-9_]*", name) and name not in _reserved_words()
    return name if is_plain else quote_name(name)


def fields_of(
    database: Database,
    facts: Facts,
    table: TableFacts,
    links: Sequence[Reference],
    people: Collection[str],
) -> list[Field]:
    """The fields of a table, its own before those of dictionaries.

    The tables of patients and stays (`people`) are not dictionaries.
    """
    fields = [Field(column) for column in table.columns.values() if column.type != "empty"]
    looked_up = [
        field
        for link in links
        if link.column.table == table.name and link.target.table not in {*people, table.name}
        for field in _dictionary_fields(database, facts, table, link)
    ]
    return fields + looked_up


def _dictionary_fields(
    database: Database, facts: Facts, table: TableFacts, link: Reference
) -> list[Field]:
    column = table.columns[link.column.name]
    texts = [c.column.name for c in facts[link.target.table].of_type("text", "integer")]
    wanted = [name for name in texts if name != link.target.name]
    if not wanted:
        return []
    entries = look_up(
        database, facts[link.target.table].columns[link.target.name], wanted, column.distinct
    )
    nothing = (None,) * len(wanted)
    rows = [entries.get(cell, nothing) for cell in column.cells]
    return [
        Field(ColumnFacts(Column(link.target.table, name), cells), link)
        for name, cells in zip(wanted, zip(*rows, strict=True), strict=True)
        if any(cell is not None for cell in cells)
    ]


def _shapes(field: Field) -> dict[str, float]:
    """Roles that do not come from words: long texts, ranks, versions, codes of a dictionary."""
    facts = field.facts
    if facts.type == "text":
        return {**_text_shapes(facts), **(_dictionary_shapes(facts) if field.through else {})}
    if facts.type in ("integer", "number"):
        return {**_integer_shapes(facts), **_dose_shape(facts)}
    return {}


def _dose_shape(facts: ColumnFacts) -> dict[str, float]:
    """Masses and volumes by the unit in the column's name."""
    unit = stem_and_unit(facts.column.name)[1]
    return {"dose": 1.0} if unit and unit.dimension in ("mass", "volume", "dose units") else {}


def _text_shapes(facts: ColumnFacts) -> dict[str, float]:
    lengths = mean(map(len, facts.texts)) if facts.texts else 0
    words = mean(text.count(" ") for text in facts.texts) if facts.texts else 0
    if lengths >= _LONG and words >= 8:
        return {"long text": 1.0}
    return {"few words": 1.0} if len(facts.distinct) <= 30 and lengths < 40 else {}


def _dictionary_shapes(facts: ColumnFacts) -> dict[str, float]:
    spaced = sum(" " in text for text in facts.texts)
    if len(facts.texts) >= 5 and spaced > 0.3 * len(facts.texts):
        return {"dictionary name": 1.0}
    coded = [t for t in facts.texts if re.fullmatch(r"[A-Z]{0,3}[\d.\-]{3,}[A-Z0-9]*", t)]
    share = len(coded) / len(facts.texts) if facts.texts else 0
    return {"dictionary code": share} if share > 0.9 and len(facts.texts) >= 5 else {}


def _integer_shapes(facts: ColumnFacts) -> dict[str, float]:
    shapes: dict[str, float] = {}
    numbers = set(facts.numbers)
    if facts.type != "integer":
        return shapes
    if numbers <= {9, 10}:
        shapes["icd version"] = 1.0
    if min(numbers) == 1 and 3 <= len(numbers) <= 60 and max(numbers) <= 2 * len(numbers):
        shapes["rank"] = 1.0
    return shapes


@cache
def _reserved_words() -> frozenset[str]:
    """The words that DuckDB, whose SQL maps are written in, takes for no name."""
    import duckdb

    sql = "SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category = 'reserved'"
    with duckdb.connect() as connection:
        return frozenset(word for (word,) in connection.execute(sql).fetchall())
