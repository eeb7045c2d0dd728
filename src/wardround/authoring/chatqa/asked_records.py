"""The records of a database that questions are made about, with the stays that values come from."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, TypeAlias

from wardround.authoring.chatqa.spoken_values import KINDS, SpokenValue, spoken_values
from wardround.core.errors import UserError
from wardround.ehr.database import Cell, Database, quote_text
from wardround.ehr.query import Condition, Goal, Query, to_sql
from wardround.ehr.records import RecordMap, Role, Views, dialect_of, view
from wardround.ehr.times import substitute_current_time

Rows: TypeAlias = list[tuple[Cell, ...]]

_SECONDS = 10.0
_SAMPLED = 2_000  # patients whose records values are drawn from
# Columns of a hospital stay with few texts, each of which a person can ask for.
ATTRIBUTES = ("source", "destination", "type", "insurance", "marital", "language")
_NEEDED = ("patient", "admission")


@dataclass(frozen=True, slots=True)
class Stay:
    """A hospital stay that values are drawn from.

    Attributes:
        patient: the patient's number.
        sex: a meaning, "female" or "male"; "" if the record does not say.
        age: in whole years; None if the record does not say.
        days: the length; None if the stay has no end.
        attributes: texts by column.
    """

    patient: str
    sex: str
    age: int | None
    days: float | None
    attributes: Mapping[str, str]


@dataclass(frozen=True)
class AskedRecords:
    """A database, and what people can ask about it.

    Attributes:
        database: the open database.
        views: the kinds of record.
        now: the current time of questions.
        stays: the sampled stays by number.
        values: the values of each kind of record that people have words for.
    """

    database: Database
    views: Views
    now: datetime
    stays: Mapping[str, Stay]
    values: Mapping[str, Sequence[SpokenValue]]
    _patients: dict[Condition, tuple[str, ...]] = field(default_factory=dict)

    def sql(self, query: Query) -> str:
        """The query as SQL that has no open words."""
        return substitute_current_time(to_sql(query, self.views), self.now)

    def rows(self, query: Query) -> Rows:
        """The rows of a query.

        Raises:
            QueryError: the query takes too long.
        """
        return list(self.database.execute(self.sql(query), rows=None, seconds=_SECONDS).rows)

    def patients(self, condition: Condition) -> tuple[str, ...]:
        """The patients who meet a condition, by their numbers."""
        if condition not in self._patients:
            rows = self.rows(Query(Goal("list", "patient"), (condition,)))
            self._patients[condition] = tuple(str(row[0]) for row in rows)
        return self._patients[condition]

    @cached_property
    def texts(self) -> Mapping[str, tuple[str, ...]]:
        """Every recorded name in lower case, by kind of record."""
        names = {}
        for kind in (*KINDS, "procedure"):
            if self.views.has(kind, "name"):
                view = self.views.sql[kind]
                sql = f"SELECT DISTINCT t.name FROM ({view}) t WHERE t.name IS NOT NULL"
                rows = self.database.execute(sql, rows=None).rows
                names[kind] = tuple(sorted(str(row[0]).lower() for row in rows))
        return names


def open_records(database: Database, records: RecordMap, now: datetime) -> AskedRecords:
    """The records of a database.

    Raises:
        UserError: the record has no patients or no hospital stays.
    """
    views = _views(database, records)
    if missing := [kind for kind in _NEEDED if not views.has(kind)]:
        raise UserError(
            f"{database.url} has no {missing[0]!r} records, and questions are made about them; "
            "name another database or a map of its tables."
        )
    stays = dict(_stays(database, views))
    if not stays:
        raise UserError(f"{database.url} has no hospital stay; load its tables first.")
    return AskedRecords(database, views, now, stays, spoken_values(database, views, set(stays)))


def _views(database: Database, records: RecordMap) -> Views:
    dialect = dialect_of(database)
    sql = {kind: view(records, kind, dialect) for kind in records.kinds}
    columns = {kind: records.columns(kind) for kind in records.kinds}
    dated = frozenset(kind for kind in records.kinds if "time" in records.precisions(kind))
    return Views(dialect, sql, columns, records.written, dated)


def _stays(database: Database, views: Views) -> Iterator[tuple[str, Stay]]:
    """The stays of the sampled patients."""
    people = database.execute(
        f"SELECT DISTINCT t.patient FROM ({views.sql['admission']}) t ORDER BY 1", rows=None
    ).rows
    step = max(len(people) // _SAMPLED, 1)
    sampled = ", ".join(quote_text(str(row[0])) for row in people[::step])
    sexes = _sexes(database, views)
    names = [name for name in ("age", *ATTRIBUTES) if views.has("admission", name)]
    listed = "".join(f", t.{name}" for name in names)
    rows = database.execute(
        f"SELECT t.admission, t.patient, t.time, t.finish{listed} "
        f"FROM ({views.sql['admission']}) t "
        f"WHERE CAST(t.patient AS TEXT) IN ({sampled}) ORDER BY 1",
        rows=None,
    ).rows
    for stay, patient, start, end, *cells in rows:
        known: dict[str, Any] = dict(zip(names, cells, strict=True))
        age = known.pop("age", None)
        texts = {name: str(text) for name, text in known.items() if text is not None}
        yield (
            str(stay),
            Stay(
                str(patient),
                sexes.get(str(patient), ""),
                None if age is None else int(age),
                _days(start, end),
                texts,
            ),
        )


def _sexes(database: Database, views: Views) -> dict[str, str]:
    if not views.has("patient", "sex"):
        return {}
    meanings = {
        text: name
        for name, texts in views.written.get(Role("patient", "sex"), {}).items()
        for text in texts
    }
    rows = database.execute(f"SELECT t.patient, t.sex FROM ({views.sql['patient']}) t", rows=None)
    return {str(patient): meanings.get(str(sex), "") for patient, sex in rows.rows}


def _days(start: Cell, end: Cell) -> float | None:
    if start is None or end is None:
        return None
    length = datetime.fromisoformat(str(end)) - datetime.fromisoformat(str(start))
    return length.total_seconds() / 86_400
