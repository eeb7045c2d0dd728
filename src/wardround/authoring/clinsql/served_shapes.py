"""The shapes of questions that a record serves, and what it lacks for the others."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from wardround.authoring.clinsql.concepts import Concept, outcomes
from wardround.authoring.clinsql.gold_query.predicates import (
    by_name,
    has_codes,
    is_selectable,
)
from wardround.authoring.clinsql.gold_query.tables import (
    RecordTables,
)
from wardround.authoring.clinsql.shapes import SHAPES, Shape
from wardround.authoring.clinsql.specification import RANKED, Level
from wardround.authoring.findings import Finding

LACKS = "no {}"
_COHORT = (
    ("patient", "patient"),
    ("patient", "sex"),
    ("admission", "patient"),
    ("admission", "admission"),
    ("admission", "time"),
    ("admission", "finish"),
    ("diagnosis", "admission"),
)
_STATISTICS = {
    "charlson": (("comorbidity", "value"),),
    "discharge_location": (("admission", "destination"),),
}


def cohort_lack(tables: RecordTables) -> str:
    """The parts that a record lacks for any cohort; "" if none."""
    records = tables.records
    lacking = [f"{kind}.{column}" for kind, column in _COHORT if not records.has(kind, column)]
    if not (records.has("admission", "age") or records.has("patient", "birth")):
        lacking.append("patient.birth")
    if not has_codes("diagnosis", tables):
        lacking.append("ICD codes of diagnosis")
    return next(iter(lacking), "")


def served_shapes(scenario: str, level: Level, tables: RecordTables) -> tuple[Shape, ...]:
    """The shapes of a scenario and level that a record serves, without parts that it lacks."""
    return tuple(
        _present(shape, tables)
        for shape in SHAPES[scenario, level]
        if not any(_lacks(shape, tables))
    )


def unserved(tables: RecordTables) -> Iterator[Finding]:
    """A finding on each shape that a record does not serve."""
    for (scenario, level), shapes in SHAPES.items():
        for shape in shapes:
            for lack in dict.fromkeys(_lacks(shape, tables)):
                yield Finding(f"{scenario}/{level}", LACKS.format(lack), kind="shape")


def served_concepts(shape: Shape, tables: RecordTables) -> Sequence[Concept | None]:
    """The concepts of a shape whose records can be distinguished from others."""
    concepts = [concept and by_name(concept, tables) for concept in shape.concepts()]
    return [concept for concept in concepts if concept is None or is_selectable(concept, tables)]


def _present(shape: Shape, tables: RecordTables) -> Shape:
    known = outcomes(tables.records)
    told_outcomes = tuple(name for name in shape.outcomes if name in known)
    anywhere = shape.icu is None and not tables.records.has("icu", "time")
    return replace(shape, outcomes=told_outcomes, icu=False if anywhere else shape.icu)


def _lacks(shape: Shape, tables: RecordTables) -> Iterator[str]:
    """The parts that a record lacks for a shape."""
    for kind, column in _needs(shape):
        if not tables.records.has(kind, column):
            yield f"{kind}.{column}" if tables.records.has(kind) else kind
    if {"outcome", *RANKED} & {*shape.summaries} and not _present(shape, tables).outcomes:
        yield "discharge location with a known meaning"
    if shape.statistic == "first" and tables.is_by_day:
        yield "time of day"
    if tables.records.has(_kind(shape)) and not served_concepts(shape, tables):
        yield f"{_kind(shape)} of a known test, drug or procedure"


def _needs(shape: Shape) -> Iterator[tuple[str, str]]:
    yield from _STATISTICS.get(shape.statistic, ())
    if shape.icu:
        yield from (("icu", column) for column in ("admission", "stay", "time", "finish"))
    kind = _kind(shape)
    if kind in ("lab", "vital"):
        yield kind, "value"
    if shape.statistic == "days":
        yield kind, "finish"
    if kind:
        yield kind, "admission"
        yield kind, "time"


def _kind(shape: Shape) -> str:
    """The kind of record of a shape's events; "" if it has none."""
    first = next(iter(shape.concepts()))
    return first.kind if first else ""
