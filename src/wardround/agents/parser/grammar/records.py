"""The records of a table layout, as views with the same column names."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from wardround.agents.parser.columns import ColumnTypes
from wardround.core.packaged_data import read_toml
from wardround.ehr.database import Database
from wardround.ehr.schema import recognise


class Role(NamedTuple):
    """A column of a view: `Role("drug", "route")`."""

    kind: str
    column: str


@dataclass(frozen=True, slots=True)
class Records:
    """The records of a layout.

    Attributes:
        layout: The name of the layout.
        views: A query for each kind of record.
        sexes: The recorded text for "female" and "male".
        deaths: The recorded destinations of a discharge by death.
    """

    layout: str
    views: Mapping[str, str]
    sexes: Mapping[str, str]
    deaths: tuple[str, ...]

    def has(self, kind: str, column: str) -> bool:
        """True if the view of a kind has a column."""
        selected = self.views.get(kind, "").partition(" FROM ")[0].replace(",", " ").split()
        return any(word.rpartition(".")[2] == column for word in selected)

    @property
    def named(self) -> list[Role]:
        """The columns whose texts questions name."""
        roles = (Role(*name.split(".")) for name in _content()["named"])
        return [role for role in roles if self.has(*role)]


def layout_of(columns: ColumnTypes) -> str:
    """The layout of a database; "" if the grammar has no records of it."""
    layout = recognise({table: list(names) for table, names in columns.items()})
    return layout if layout in _content() else ""


@cache
def load_records(layout: str) -> Records:
    """The records of a layout.

    Raises:
        KeyError: There are none.
    """
    entry = _content()[layout]
    return Records(layout, entry["views"], entry["sexes"], tuple(entry["deaths"]))


def read_texts(records: Records, database: Database) -> dict[Role, tuple[str, ...]]:
    """The distinct recorded texts of each column that questions name, sorted."""
    return {role: _texts(records.views[role.kind], role.column, database) for role in records.named}


def _texts(view: str, column: str, database: Database) -> tuple[str, ...]:
    sql = f"SELECT DISTINCT e.{column} FROM ({view}) e WHERE e.{column} IS NOT NULL"  # noqa: S608
    return tuple(sorted(str(text) for (text,) in database.execute(sql, rows=None).rows))


@cache
def _content() -> Mapping[str, Any]:
    return read_toml("wardround.agents.parser.grammar", "records.toml")
