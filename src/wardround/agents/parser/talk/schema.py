"""The schema as far as the tools have shown it, with uniform views of each kind of record."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import orjson

from wardround.core.packaged_data import read_toml
from wardround.ehr.records import Views
from wardround.ehr.times import Dialect

Columns = tuple[str, ...]

# Kinds whose table may hold several rows of each, as one of ICU stays repeats hospital stays.
_REPEATED = ("patient", "admission")


@dataclass(frozen=True, slots=True)
class Schema:
    """The known tables and columns.

    Attributes:
        tables: The names of all tables.
        columns: The columns of the tables read so far.
    """

    tables: tuple[str, ...] = ()
    columns: Mapping[str, Columns] = field(default_factory=dict)

    def has(self, kind: str) -> bool:
        """True if there is a table for a kind of record."""
        return _table(kind, self.tables) is not None

    def table(self, kind: str) -> str:
        """The table of a kind of record.

        Raises:
            KeyError: There is none; check `has` first.
        """
        found = _table(kind, self.tables)
        if found is None:
            raise KeyError(kind)
        return found

    def column(self, kind: str, part: str) -> str | None:
        """The column with a role in a kind of record, or None."""
        table = _table(kind, self.tables)
        pattern = roles()[kind].get(part) or roles()["ids"].get(part)
        return _fitting(pattern, self.columns.get(table, ())) if table and pattern else None

    def named_in(self, kind: str) -> str:
        """The kind whose table has the names: its dictionary if there is one, else itself."""
        names = roles()[kind].get("names", "")
        return names if names and self.has(names) else kind

    def offers(self, kind: str, part: str) -> bool:
        """True if the view of a kind has a column."""
        return any(part in self.parts(each) for each in (kind, self.named_in(kind)))

    def parts(self, kind: str) -> tuple[str, ...]:
        """The roles that the table of a kind has columns for."""
        named = [part for part in roles()[kind] if part not in ("table", "names")]
        known = dict.fromkeys([*roles()["ids"], *named])
        return tuple(part for part in known if self.column(kind, part))

    def needed(self, kind: str) -> list[str]:
        """The tables of a kind's view whose columns are not known yet."""
        kinds = [kind, self.named_in(kind), "admission"]
        tables = [_table(each, self.tables) for each in kinds]
        if tables[0] in self.columns and self.column(kind, "patient"):
            tables.pop()
        return [table for table in dict.fromkeys(tables) if table and table not in self.columns]

    def unread(self, kinds: Iterable[str]) -> list[str]:
        """The tables of these kinds whose columns are not known yet."""
        return list(dict.fromkeys(table for kind in kinds for table in self.needed(kind)))

    def views(self, kinds: Iterable[str], dialect: Dialect) -> Views:
        """The records of some kinds, and of patients and hospital stays, as queries.

        Where the table of patients was not read, they are those who have a hospital stay.
        """
        read = [kind for kind in (*kinds, "admission") if self.has(kind)]
        shown = {kind: self._shown(kind) for kind in dict.fromkeys(read)}
        sql = {kind: self.view(kind) for kind in shown}
        columns = {kind: tuple(parts) for kind, parts in shown.items()}
        if "patient" not in sql:
            people = f"SELECT DISTINCT e.{self.column('admission', 'patient')} AS patient"
            sql["patient"] = f"{people} FROM {self.table('admission')} e"
            columns["patient"] = ("patient",)
        return Views(dialect, sql, columns, {})

    def view(self, kind: str) -> str:
        """A query of a kind's records with columns named by role.

        All other queries are on views and so do not depend on the schema.
        """
        shown, names = self._shown(kind), self.named_in(kind)
        joins = [f"FROM {self.table(kind)} e"]
        if names != kind:
            keys = [part for part in ("code", "version", "item") if part in shown]
            on = [f"{shown[key]} = n.{self.column(names, key)}" for key in keys]
            joins.append(f"JOIN {self.table(names)} n ON {' AND '.join(on)}")
        if shown["patient"].startswith("s."):
            stay = self.column("admission", "stay")
            joins.append(f"JOIN {self.table('admission')} s ON {shown['stay']} = s.{stay}")
        distinct = "DISTINCT " if kind in _REPEATED else ""
        listed = ", ".join(f"{column} AS {part}" for part, column in shown.items())
        return f"SELECT {distinct}{listed} {' '.join(joins)}"

    def _shown(self, kind: str) -> dict[str, str]:
        """The expressions of a view's columns."""
        shown = {part: f"e.{self.column(kind, part)}" for part in self.parts(kind)}
        if "age" in shown:
            shown["age"] = f"CAST({shown['age']} AS INTEGER)"
        if self.named_in(kind) != kind:
            shown["name"] = f"n.{self.column(self.named_in(kind), 'name')}"
        if "patient" not in shown:
            for part in ("patient", "admission"):
                shown[part] = f"s.{self.column('admission', part)}"
        if kind in _REPEATED:
            shown.pop("stay", None)
        return shown


def columns_shown(description: str) -> Columns:
    r"""The columns in a result of column_search: the first line that is a JSON array.

    >>> columns_shown('CREATE TABLE ward (floor INTEGER)\n3 rows of ward:\n["floor"]\n[1]')
    ('floor',)
    """
    line = next((line for line in description.splitlines() if line.startswith("[")), "[]")
    return tuple(str(name) for name in orjson.loads(line))


def roles() -> Mapping[str, Mapping[str, str]]:
    """The column patterns of roles.toml by kind of record and role."""
    return read_toml("wardround.agents.parser.talk", "roles.toml")


def _table(kind: str, tables: Iterable[str]) -> str | None:
    return _fitting(roles()[kind]["table"], tables)


def _fitting(pattern: str, names: Iterable[str]) -> str | None:
    """The first name that matches a pattern."""
    return next((name for name in names if re.fullmatch(pattern, name, re.IGNORECASE)), None)
