"""The mapping record of an item: tables, keys, columns, values, codes and thresholds (3.2)."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from sqlglot import exp

from wardround.authoring.clinsql.queries import gold_query
from wardround.authoring.clinsql.specification import QuestionSpec
from wardround.ehr.schema import load_schema

_KEYS = ("subject_id", "hadm_id", "stay_id")


def mapping_record(spec: QuestionSpec) -> dict[str, Any]:
    """The record as JSON data, from specification and query."""
    tables = tables_read(spec)
    columns = set(_columns(spec))
    cohort, concept = spec.cohort, spec.concept
    thresholds: dict[str, Any] = {"ages": cohort.ages, "hours": spec.hours}
    if concept and concept.has_values:
        thresholds["plausible"] = concept.plausible
    if spec.summary == "burden":
        thresholds["burden"] = list(spec.limit)
    return {
        "tables": tables,
        "keys": [key for key in _KEYS if key in columns],
        "columns": {name: sorted(columns & _known(name)) for name in tables},
        "values": {"gender": cohort.sex},
        "codes": asdict(cohort.condition) if cohort.condition else {},
        "items": list(concept.items) if concept else [],
        "drugs": list(concept.patterns) if concept else [],
        "thresholds": thresholds,
    }


def tables_read(spec: QuestionSpec) -> list[str]:
    """The tables of the query, in the order of their first use in the layout."""
    found = {table.name.rpartition(".")[2] for table in gold_query(spec).find_all(exp.Table)}
    return [table.name for table in load_schema("mimic_iv").tables if table.name in found]


def _columns(spec: QuestionSpec) -> Iterator[str]:
    yield from (column.name for column in gold_query(spec).find_all(exp.Column))


def _known(table: str) -> set[str]:
    [layout] = [t for t in load_schema("mimic_iv").tables if t.name == table]
    return {column.name for column in layout.columns}
