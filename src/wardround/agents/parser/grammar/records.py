"""The views of a database's records that the grammar reads and writes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from wardround.agents.parser.columns import ColumnTypes
from wardround.agents.parser.names.value_index import Names
from wardround.ehr.database import Database, Dialect, QueryError, quote_text, was_cut_off
from wardround.ehr.records import RecordMap, Role, Views, record_map, view

_CHARGES = Role("cost", "name")
_SECONDS = 86_400.0  # one day; the user can interrupt
_NUMBERS = ("value", "age")
# Ends count for stays only: orders are asked for by their start.
_STAYS = ("admission", "icu", "transfer")
_TERMS = ("synonym", "class")
_UNREAD_KINDS = {"death", "visit", "administration", "note"}
_UNREAD = {
    *("record", "visit", "code", "system", "concept", "rank", "event", "low", "high", "text"),
    *("flag", "unit", "dose", "specimen", "last", "service", "beds", "test", "organism"),
    *("antibiotic", "interpretation", "ward", "substance", "specimen_id"),
}
# Classes of more names are too wide.
_MAX_NAMES = 500
# Statements have at most 50,000 bytes.
_LIST_LETTERS = 12_000
# The columns whose texts questions name.
_NAMED = (
    *("patient.patient", "admission.admission", "admission.type", "admission.source"),
    *("admission.destination", "admission.insurance", "admission.language", "admission.marital"),
    *("admission.ethnicity", "transfer.name", "diagnosis.name", "diagnosis.title"),
    *("procedure.name", "procedure.title", "drug.name", "drug.route", "lab.name", "vital.name"),
    *("intake.name", "output.name", "culture.name", "organism.name", "icu.stay", "icu.region"),
    *("hospital.teaching", "allergy.name"),
)


def views_of(columns: ColumnTypes, dialect: Dialect) -> Views | None:
    """The views of a database; None if its layout has no map."""
    records = map_of(columns)
    return grammar_views(records, dialect) if records else None


def map_of(columns: ColumnTypes) -> RecordMap | None:
    """The record map of a database; None if its layout has none."""
    return record_map({table: list(names) for table, names in columns.items()})


def grammar_views(records: RecordMap, dialect: Dialect) -> Views:
    """The views of a map, with the kinds and columns that the grammar reads."""
    kinds = {kind: kind for kind in records.kinds if kind not in _UNREAD_KINDS}
    written = dict(records.written)
    if records.has("procedure") and not records.has("procedure", "code"):
        kinds["treatment"] = "procedure"  # a coded procedure is not called a treatment
        if charges := written.get(_CHARGES):
            written[_CHARGES] = {**charges, "treatment": charges["procedure"]}
    columns = {kind: _columns(records, kind, source_kind) for kind, source_kind in kinds.items()}
    sql = {
        kind: view(records, source_kind, dialect, columns[kind])
        for kind, source_kind in kinds.items()
    }
    dated = frozenset(
        kind for kind, source_kind in kinds.items() if "time" in records.precisions(source_kind)
    )
    return Views(dialect, sql, columns, written, dated)


def _columns(records: RecordMap, kind: str, source_kind: str) -> tuple[str, ...]:
    unread = {*_UNREAD, *(() if kind in _STAYS else ("finish",))}
    unread |= {"type"} if kind != "admission" else set()
    return tuple(name for name in records.columns(source_kind) if name not in unread)


def present_views(views: Views, database: Database) -> Views:
    """The views of a database that have rows, less numbers without any; terms may have none.

    Raises:
        QueryError: A query was cut off, so that nobody knows if there are rows.
    """
    sql = {kind: each for kind, each in views.sql.items() if _is_there(kind, each, database)}
    columns = {
        kind: tuple(
            name
            for name in views.columns[kind]
            if name not in _NUMBERS or _has_rows(f"{each} WHERE e.{name} IS NOT NULL", database)
        )
        for kind, each in ((kind, _rows(sql[kind])) for kind in sql)
    }
    return replace(views, sql=sql, columns=columns)


def _is_there(kind: str, view: str, database: Database) -> bool:
    try:
        return _has_rows(_rows(view), database) or kind in _TERMS
    except QueryError as error:
        if was_cut_off(str(error)):
            raise
        return False


def _rows(view: str) -> str:
    return f"SELECT 1 FROM ({view}) e"  # noqa: S608


def _has_rows(query: str, database: Database) -> bool:
    return bool(database.execute(f"{query} LIMIT 1", rows=1).rows)


def read_texts(
    records: RecordMap, views: Views, database: Database
) -> Mapping[Role, tuple[str, ...]]:
    """The distinct recorded texts of each column that questions name, sorted.

    The names in a wide table are those of its columns.
    """
    roles = [Role(*name.split(".")) for name in _NAMED]
    return {role: _texts_of(role, records, views, database) for role in roles if views.has(*role)}


def _texts_of(role: Role, records: RecordMap, views: Views, database: Database) -> tuple[str, ...]:
    sources = records.kinds[role.kind]
    if role.column == "name" and all(source.wide for source in sources):
        return tuple(sorted(name for source in sources for name in source.wide))
    return _texts(views.sql[role.kind], role.column, database)


def _texts(view: str, column: str, database: Database) -> tuple[str, ...]:
    sql = f"SELECT DISTINCT e.{column} FROM ({view}) e WHERE e.{column} IS NOT NULL"  # noqa: S608
    return tuple(sorted(str(text) for (text,) in database.execute(sql, rows=None).rows))


def read_vocabulary(
    views: Views, texts: Mapping[Role, tuple[str, ...]], database: Database
) -> tuple[Names, Names]:
    """The synonyms and the classes that the records give to recorded texts."""
    named = (each for role, each in texts.items() if role.column in ("name", "title"))
    recorded = sorted({text for each in named for text in each})
    return (
        _terms("synonym", "other", views, recorded, database),
        _terms("class", "broader", views, recorded, database),
    )


def _terms(
    kind: str, column: str, views: Views, recorded: Sequence[str], database: Database
) -> Names:
    """The recorded texts of each term in a column of a kind; of no term that has too many.

    A vocabulary may be a thousand times as large as what is recorded: only that is read, by names
    that engines filter by before they join.
    """
    terms: dict[str, set[str]] = {}
    for names in _portions(recorded) if views.has(kind, column) else ():
        sql = (
            f"SELECT DISTINCT e.{column}, e.name FROM ({views.sql[kind]}) e "  # noqa: S608
            f"WHERE e.name IN ({names})"
        )
        for term, name in database.execute(sql, rows=None, seconds=_SECONDS).rows:
            known = terms.setdefault(str(term), set())
            if term not in (None, name) and len(known) <= _MAX_NAMES:
                known.add(str(name))
    few = sorted(term for term, names in terms.items() if 0 < len(names) <= _MAX_NAMES)
    return {term: tuple(sorted(terms[term])) for term in few}


def _portions(names: Sequence[str]) -> Iterator[str]:
    """The names as lists of texts in SQL, each short enough for a statement."""
    portion: list[str] = []
    for name in names:
        portion.append(quote_text(name))
        if sum(map(len, portion)) > _LIST_LETTERS:
            yield ", ".join(portion)
            portion = []
    if portion:
        yield ", ".join(portion)
