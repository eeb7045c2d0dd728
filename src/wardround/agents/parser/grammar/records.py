"""The records of a table layout, as views with the same column names."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple

from wardround.agents.parser.columns import ColumnTypes
from wardround.core.packaged_data import read_toml
from wardround.ehr.database import Database, QueryError
from wardround.ehr.schema import Renaming, load_renaming, recognise

# The published database has no versions of codes.
_VERSIONS = re.compile(r" AND \w+\.icd_version = \w+\.icd_version")


class Role(NamedTuple):
    """A column of a view: `Role("drug", "route")`."""

    kind: str
    column: str


@dataclass(frozen=True, slots=True)
class Records:
    """The records of a layout.

    Attributes:
        views: A query for each kind of record.
        sexes: The recorded text for "female" and "male".
        deaths: The recorded destinations of a discharge by death.
        names: The names of records of a kind, where its view gives them.
    """

    views: Mapping[str, str]
    sexes: Mapping[str, str]
    deaths: tuple[str, ...]
    names: Mapping[str, tuple[str, ...]]

    def has(self, kind: str, column: str) -> bool:
        """True if the view of a kind has a column."""
        selected = self.views.get(kind, "").partition(" FROM ")[0].replace(",", " ").split()
        return any(word.rpartition(".")[2] == column for word in selected)

    def table(self, kind: str) -> str:
        """The first table of the view of a kind."""
        return self.views[kind].partition(" FROM ")[2].partition(" ")[0]

    @property
    def named(self) -> list[Role]:
        """The columns whose texts questions name."""
        roles = (Role(*name.split(".")) for name in _content()["named"])
        return [role for role in roles if self.has(*role)]


def records_of(columns: ColumnTypes) -> Records | None:
    """The records of a database; None if its layout has none here."""
    layout = recognise({table: list(names) for table, names in columns.items()})
    if layout is None:
        return None
    renaming = load_renaming(layout)
    entry = _content().get(renaming.of if renaming else layout)
    if entry is None:
        return None
    views = {kind: _renamed(view, renaming) for kind, view in entry["views"].items()}
    if not any("icd_version" in names for names in columns.values()) and renaming is None:
        views = {kind: _VERSIONS.sub("", view) for kind, view in views.items()}
    names = {kind: tuple(sorted(names)) for kind, names in entry.get("names", {}).items()}
    return Records(views, entry["sexes"], tuple(entry["deaths"]), names)


def _renamed(view: str, renaming: Renaming | None) -> str:
    if renaming is None:
        return view
    from sqlglot import parse_one

    from wardround.ehr.schema.renamed_query import renamed

    return renamed(parse_one(view, read="sqlite"), renaming).sql("sqlite")


def present_records(records: Records, database: Database) -> Records:
    """The records of the kinds that a database has columns for; costs only where it has some."""
    present = {
        kind: view for kind, view in records.views.items() if _is_there(kind, view, database)
    }
    return replace(records, views=present)


def _is_there(kind: str, view: str, database: Database) -> bool:
    try:
        found = database.execute(f"SELECT 1 FROM ({view}) e LIMIT 1", rows=1)  # noqa: S608
    except QueryError:
        return False
    return kind != "cost" or bool(found.rows)


def read_texts(records: Records, database: Database) -> dict[Role, tuple[str, ...]]:
    """The distinct recorded texts of each column that questions name, sorted."""
    return {
        role: records.names[role.kind]
        if role.kind in records.names
        else _texts(records.views[role.kind], role.column, database)
        for role in records.named
    }


def _texts(view: str, column: str, database: Database) -> tuple[str, ...]:
    sql = f"SELECT DISTINCT e.{column} FROM ({view}) e WHERE e.{column} IS NOT NULL"  # noqa: S608
    return tuple(sorted(str(text) for (text,) in database.execute(sql, rows=None).rows))


@cache
def _content() -> Mapping[str, Any]:
    return read_toml("wardround.agents.parser.grammar", "records.toml")
