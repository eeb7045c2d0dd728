"""The mapping record of an item: tables, keys, columns, values, codes and thresholds (3.2)."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from sqlglot import exp

from wardround.authoring.clinsql.concepts import Concept
from wardround.authoring.clinsql.queries import gold_query
from wardround.authoring.clinsql.specification import RANKED, QuestionSpec
from wardround.authoring.clinsql.strata import WINDOW, AnchorStratum
from wardround.authoring.clinsql.tables import columns_of, table_names

_KEYS = ("subject_id", "hadm_id", "stay_id")


def mapping_record(spec: QuestionSpec, stratum: AnchorStratum) -> dict[str, Any]:
    """The record as JSON data, from specification, query and the strata of the anchor."""
    tables = tables_read(spec)
    columns = set(_columns(spec))
    cohort, concept = spec.cohort, spec.concept
    thresholds: dict[str, Any] = {"ages": cohort.ages, "hours": spec.hours}
    if concept and concept.has_values:
        thresholds["plausible"] = concept.plausible
    if spec.summary == "burden":
        thresholds["burden"] = list(spec.limit)
    return {
        "strata": {**stratum._asdict(), WINDOW: spec.window},
        "tables": tables,
        "keys": [key for key in _KEYS if key in columns],
        "columns": {name: sorted(columns & set(columns_of(name))) for name in tables},
        "values": dict(_values(spec)),
        "codes": asdict(cohort.condition) if cohort.condition else {},
        "procedures": {"icd9": concept.icd9, "icd10": concept.icd10} if concept else {},
        "items": list(concept.items) if concept else [],
        "drugs": [pattern for drug in drugs(concept) for pattern in drug.patterns],
        "thresholds": thresholds,
    }


def tables_read(spec: QuestionSpec) -> list[str]:
    """The tables of the query, in the order of the layout."""
    found = {table.name.rpartition(".")[2] for table in gold_query(spec).find_all(exp.Table)}
    return [name for name in table_names() if name in found]


def drugs(concept: Concept | None) -> Iterator[Concept]:
    """The drugs of a concept, with its companion."""
    if concept and concept.patterns:
        yield concept
        yield from drugs(concept.companion)


def reads_outcome(spec: QuestionSpec) -> bool:
    """True if the share of an outcome is reported."""
    return spec.summary in ("outcome", *RANKED)


def _values(spec: QuestionSpec) -> Iterator[tuple[str, Any]]:
    yield "gender", spec.cohort.sex
    if reads_outcome(spec):
        yield spec.outcome.column, spec.outcome.values


def _columns(spec: QuestionSpec) -> Iterator[str]:
    yield from (column.name for column in gold_query(spec).find_all(exp.Column))
