"""The records of a database that questions are made about, with the stays that values come from."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from random import Random
from typing import Any, TypeAlias

from sqlglot import exp

from wardround.authoring.chatqa.other_readings import Meanings
from wardround.authoring.chatqa.spellings import (
    SPELLINGS,
    Recorded,
    Spelling,
    misspelled_absent,
    respelled,
)
from wardround.authoring.chatqa.spoken_values import (
    KINDS,
    RESPELLED,
    SpokenValue,
    attribute_words,
    spoken_values,
)
from wardround.core.errors import UserError
from wardround.ehr.database import Cell, Database
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
        attributes: texts by column, without those that nobody asks for.
    """

    patient: str
    sex: str
    age: int | None
    days: float | None
    attributes: Mapping[str, str]


@dataclass(eq=False)
class AskedRecords:
    """A database, and what people can ask about it.

    Attributes:
        database: the open database.
        views: the kinds of record.
        now: the current time of questions.
        stays: the sampled stays by number.
        values: the values of each kind of record that people have words for.
        spellings: the spellings in which things are said beside the words of the terms.
    """

    database: Database
    views: Views
    now: datetime
    stays: Mapping[str, Stay]
    values: Mapping[str, Sequence[SpokenValue]]
    spellings: Sequence[Spelling] = ()
    _patients: dict[Condition, tuple[str, ...]] = field(default_factory=dict)

    def absent_name(self, kind: str, name: str, random: Random) -> str:
        """The name of something that is asked about and not recorded, at times misspelled."""
        if "misspelled" not in self.spellings or random.random() >= RESPELLED:
            return name
        return random.choice(misspelled_absent(name, self.recorded[kind]) or (name,))

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
    def names(self) -> Mapping[str, tuple[str, ...]]:
        """Every recorded name, by kind of record."""
        kinds = [kind for kind in KINDS if self.views.has(kind, "name")]
        rows = {kind: self.rows(Query(Goal("names", kind), ())) for kind in kinds}
        return {kind: tuple(str(row[0]) for row in kind_rows) for kind, kind_rows in rows.items()}

    @cached_property
    def texts(self) -> Mapping[str, tuple[str, ...]]:
        """Every recorded name in lower case, by kind of record."""
        return {
            kind: tuple(name.lower() for name in kind_names)
            for kind, kind_names in self.names.items()
        }

    @cached_property
    def recorded(self) -> Mapping[str, Recorded]:
        """The recorded names by kind, to search."""
        return {kind: Recorded(texts) for kind, texts in self.texts.items()}

    @cached_property
    def meanings(self) -> Meanings:
        """The meanings that words for values may have."""
        codes: defaultdict[str, set[str]] = defaultdict(set)
        if self.views.has("lab", "name") and self.views.has("lab", "code"):
            for name, code in _rows(self.database, self.views, "lab", ["name", "code"]):
                codes[str(name)].add(str(code))
        return Meanings(
            self.values, self.names, {name: frozenset(texts) for name, texts in codes.items()}
        )

    @cached_property
    def patient_count(self) -> int:
        """The number of patients."""
        return int(str(self.rows(Query(Goal("count", "patient"), ()))[0][0]))

    @cached_property
    def routes(self) -> Mapping[str, frozenset[str]]:
        """The routes by which each recorded drug is ordered."""
        if not self.views.has("drug", "route"):
            return {}
        routes: defaultdict[str, set[str]] = defaultdict(set)
        for name, route in _rows(self.database, self.views, "drug", ["name", "route"]):
            if route is not None:
                routes[str(name)].add(str(route))
        return {name: frozenset(drug_routes) for name, drug_routes in routes.items()}

    @cached_property
    def intensive(self) -> frozenset[str]:
        """The hospital stays with a stay in intensive care."""
        rows = _rows(self.database, self.views, "icu", ["admission", "patient"])
        return frozenset(str(stay) for stay, _ in rows)


def open_records(
    database: Database,
    records: RecordMap,
    now: datetime,
    spellings: Sequence[Spelling] = SPELLINGS,
) -> AskedRecords:
    """The records of a database.

    Args:
        database: the open database.
        records: the map of its records.
        now: the current time of questions.
        spellings: the spellings in which values are said beside the words of the terms.

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
    values = spoken_values(database, views, set(stays))
    asked = AskedRecords(database, views, now, stays, values)
    if not spellings:
        return asked
    spoken = respelled(values, asked.recorded, spellings)
    return replace(asked, values=spoken, spellings=spellings)


def _views(database: Database, records: RecordMap) -> Views:
    dialect = dialect_of(database)
    sql = {kind: view(records, kind, dialect) for kind in records.kinds}
    columns = {kind: records.columns(kind) for kind in records.kinds}
    dated = frozenset(kind for kind in records.kinds if "time" in records.precisions(kind))
    return Views(dialect, sql, columns, records.written, dated)


def _stays(database: Database, views: Views) -> Iterator[tuple[str, Stay]]:
    """The stays of the sampled patients."""
    names = [name for name in ("age", *ATTRIBUTES) if views.has("admission", name)]
    rows = _rows(database, views, "admission", ["patient", "admission", "time", "finish", *names])
    people = sorted({str(row[0]) for row in rows})
    sampled = set(people[:: max(len(people) // _SAMPLED, 1)])
    sexes = _sexes(database, views)
    for patient, stay, start, end, *cells in rows:
        if str(patient) not in sampled:
            continue
        known: dict[str, Any] = dict(zip(names, cells, strict=True))
        age = known.pop("age", None)
        yield (
            str(stay),
            Stay(
                str(patient),
                sexes.get(str(patient), ""),
                None if age is None else int(age),
                _days(start, end),
                {
                    name: str(text)
                    for name, text in known.items()
                    if text is not None and attribute_words(name, str(text))
                },
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
    rows = _rows(database, views, "patient", ["patient", "sex"])
    return {str(patient): meanings.get(str(sex), "") for patient, sex in rows}


def _rows(database: Database, views: Views, kind: str, columns: Sequence[str]) -> Rows:
    """The different values in columns of a kind of record, by the first two of them."""
    chosen = [exp.column(name, "t") for name in columns]
    query = exp.select(*chosen).distinct().from_(views.rows(kind, "t")).order_by("1", "2")
    return list(database.execute(query.sql(views.dialect), rows=None).rows)


def _days(start: Cell, end: Cell) -> float | None:
    if start is None or end is None:
        return None
    length = datetime.fromisoformat(str(end)) - datetime.fromisoformat(str(start))
    return length.total_seconds() / 86_400
