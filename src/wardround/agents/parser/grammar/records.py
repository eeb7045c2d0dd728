"""The views of a database's records that the grammar reads and writes."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from wardround.agents.parser.columns import ColumnTypes
from wardround.ehr.database import Database, QueryError
from wardround.ehr.records import RecordMap, Role, record_map, view
from wardround.ehr.times import Dialect

# Ends count for stays only: orders are asked for by their start.
_STAYS = ("admission", "icu", "transfer")
_UNREAD_KINDS = {"death", "visit", "administration", "note"}
_UNREAD = {
    *("record", "visit", "code", "system", "concept", "rank", "event", "low", "high", "text"),
    *("flag", "unit", "dose", "specimen", "last", "service", "beds", "test", "organism"),
    *("antibiotic", "interpretation"),
}


@dataclass(frozen=True, slots=True)
class Records:
    """The records of a database.

    Attributes:
        views: A query for each kind of record.
        columns: The columns of each view.
        charges: How costs name the kinds that they are of.
        sexes: The recorded text for "female" and "male".
        deaths: The recorded destinations of a discharge by death.
        names: The names of records of a kind, where reading them would be slow.
    """

    views: Mapping[str, str]
    columns: Mapping[str, tuple[str, ...]]
    charges: Mapping[str, str]
    sexes: Mapping[str, str]
    deaths: tuple[str, ...]
    names: Mapping[str, tuple[str, ...]]

    def has(self, kind: str, column: str) -> bool:
        """True if the view of a kind has a column."""
        return kind in self.views and column in self.columns[kind]

    @property
    def named(self) -> list[Role]:
        """The columns whose texts questions name."""
        roles = (Role(*name.split(".")) for name in _NAMED)
        return [role for role in roles if self.has(*role)]


_NAMED = (
    *("patient.patient", "admission.admission", "admission.type", "admission.source"),
    *("admission.destination", "admission.insurance", "admission.language", "admission.marital"),
    *(
        "admission.ethnicity",
        "transfer.name",
        "diagnosis.name",
        "diagnosis.title",
        "procedure.name",
    ),
    *("procedure.title", "drug.name", "drug.route", "lab.name", "vital.name", "intake.name"),
    *("output.name", "culture.name", "organism.name", "icu.stay", "icu.region"),
    *("hospital.teaching", "allergy.name"),
)


def records_of(columns: ColumnTypes, dialect: Dialect) -> Records | None:
    """The records of a database; None if its layout has no map."""
    records = record_map({table: list(names) for table, names in columns.items()})
    return _records(records, dialect) if records else None


def _records(records: RecordMap, dialect: Dialect) -> Records:
    kinds = {kind: kind for kind in records.kinds if kind not in _UNREAD_KINDS}
    if records.has("procedure") and not records.has("procedure", "code"):
        kinds["treatment"] = "procedure"  # a coded procedure is not called a treatment
    columns = {kind: _columns(records, kind, of) for kind, of in kinds.items()}
    views = {kind: view(records, of, dialect, columns[kind]) for kind, of in kinds.items()}
    charges = _first(records.written.get(Role("cost", "name"), {}))
    return Records(
        views,
        columns,
        {kind: charges[of] for kind, of in kinds.items() if of in charges},
        _first(records.written.get(Role("patient", "sex"), {})),
        records.texts("admission", "destination", "dead"),
        {kind: names for kind, of in kinds.items() if (names := _wide_names(records, of))},
    )


def _columns(records: RecordMap, kind: str, of: str) -> tuple[str, ...]:
    unread = {*_UNREAD, *(() if kind in _STAYS else ("finish",))}
    unread |= {"type"} if kind != "admission" else set()
    return tuple(name for name in records.columns(of) if name not in unread)


def _wide_names(records: RecordMap, kind: str) -> tuple[str, ...]:
    return tuple(sorted(name for source in records.kinds[kind] for name in source.wide))


def _first(meanings: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    return {meaning: texts[0] for meaning, texts in meanings.items()}


def present_records(records: Records, database: Database) -> Records:
    """The records whose views a database can run; costs only where it has some."""
    views = {kind: each for kind, each in records.views.items() if _is_there(kind, each, database)}
    return replace(records, views=views)


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
