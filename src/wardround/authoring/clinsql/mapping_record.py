"""The mapping record of an item: tables, keys, columns, values, codes and thresholds (3.2)."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from sqlglot import exp

from wardround.authoring.clinsql.concepts import Concept
from wardround.authoring.clinsql.gold_query.predicates import (
    written_sex,
)
from wardround.authoring.clinsql.gold_query.query import gold_query
from wardround.authoring.clinsql.gold_query.tables import (
    RecordTables,
)
from wardround.authoring.clinsql.specification import RANKED, QuestionSpec
from wardround.authoring.clinsql.strata import WINDOW, AnchorStratum
from wardround.ehr.records import is_lookup

_KEYS = (("patient", "patient"), ("admission", "admission"), ("icu", "stay"))


def mapping_record(
    spec: QuestionSpec, stratum: AnchorStratum, tables: RecordTables
) -> dict[str, Any]:
    """The record as JSON data, from specification, query and the strata of the anchor."""
    read = tables_read(spec, tables)
    columns = set(_columns(spec, tables))
    keys = [tables.name(*role) for role in _KEYS if tables.records.has(*role)]
    cohort, concept = spec.cohort, spec.concept
    thresholds: dict[str, Any] = {"ages": cohort.ages, "hours": spec.hours}
    if concept and concept.has_values:
        thresholds["plausible"] = concept.plausible
    if spec.summary == "burden":
        thresholds["burden"] = list(spec.limit)
    return {
        "strata": {**stratum._asdict(), WINDOW: spec.window},
        "tables": read,
        "keys": [key for key in keys if key in columns],
        "columns": {name: sorted(columns & set(tables.columns[name])) for name in read},
        "values": dict(_values(spec, tables)),
        "codes": asdict(cohort.condition) if cohort.condition else {},
        "procedures": {"icd9": concept.icd9, "icd10": concept.icd10} if concept else {},
        "items": list(concept.items) if concept else [],
        **({"names": list(concept.names)} if concept and concept.names else {}),
        "drugs": [pattern for drug in drugs(concept) for pattern in drug.patterns],
        "thresholds": thresholds,
    }


def tables_read(spec: QuestionSpec, tables: RecordTables) -> list[str]:
    """The tables of the query, in the order of the layout."""
    query = gold_query(spec, tables)
    names = {table.name.rpartition(".")[2] for table in query.find_all(exp.Table)}
    return [name for name in tables.columns if name in names]


def record_tables(spec: QuestionSpec, tables: RecordTables) -> list[str]:
    """The tables of the query's records, without those in which they are looked up."""
    query_tables = gold_query(spec, tables).find_all(exp.Table)
    names = {table.name.rpartition(".")[2] for table in query_tables if not is_lookup(table)}
    return [name for name in tables.columns if name in names]


def drugs(concept: Concept | None) -> Iterator[Concept]:
    """The drugs of a concept, with its companion."""
    if concept and concept.patterns:
        yield concept
        yield from drugs(concept.companion)


def reads_outcome(spec: QuestionSpec) -> bool:
    """True if the share of an outcome is reported."""
    return spec.summary in ("outcome", *RANKED)


def _values(spec: QuestionSpec, tables: RecordTables) -> Iterator[tuple[str, Any]]:
    sex, column = spec.cohort.sex, column_name("patient", "sex", tables)
    yield column, written_sex(sex, tables) if sex else None
    if reads_outcome(spec):
        yield column_name("admission", spec.outcome.column, tables), spec.outcome.values


def column_name(kind: str, column: str, tables: RecordTables) -> str:
    """The table's own name of a column; the map's where it is computed."""
    rows = tables.rows(kind)
    return rows.columns[column].name if rows.is_plain(column) else column


def _columns(spec: QuestionSpec, tables: RecordTables) -> Iterator[str]:
    yield from (column.name for column in gold_query(spec, tables).find_all(exp.Column))
