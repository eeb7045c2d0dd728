"""Published names of tables, and predicates on their rows."""

from collections.abc import Iterator

from sqlglot import exp, select

from wardround.authoring.clinsql.concepts import Concept, Condition, Outcome
from wardround.authoring.clinsql.specification import CohortSpec
from wardround.ehr.database.googlesql.charlson import CHARLSON, charlson_columns
from wardround.ehr.schema import load_schema

_PROJECT = "physionet-data"
ALIASES = {
    "patients": "p",
    "admissions": "a",
    "diagnoses_icd": "d",
    "icustays": "i",
    CHARLSON: "m",
}


def table(name: str, alias: str = "") -> exp.Table:
    """A table under its published name.

    >>> table("patients").sql("bigquery")
    '`physionet-data.mimiciv_3_1_hosp.patients` AS p'
    """
    path = exp.to_identifier(f"{_PROJECT}.{_dataset(name)}.{name}", quoted=True)
    name_here = exp.TableAlias(this=exp.to_identifier(alias or ALIASES[name]))
    return exp.Table(this=path, alias=name_here)


def _dataset(name: str) -> str:
    if name == CHARLSON:
        return "mimiciv_derived"
    module = next(t.module for t in load_schema("mimic_iv").tables if t.name == name)
    return f"mimiciv_3_1_{module}"


def columns_of(name: str) -> tuple[str, ...]:
    """The columns of a table."""
    if name == CHARLSON:
        return charlson_columns()
    [layout] = [t for t in load_schema("mimic_iv").tables if t.name == name]
    return tuple(column.name for column in layout.columns)


def table_names() -> Iterator[str]:
    """The names of all tables, in the order of the layout."""
    yield from (layout.name for layout in load_schema("mimic_iv").tables)
    yield CHARLSON


def cohort_predicates(cohort: CohortSpec) -> Iterator[str]:
    """The conditions on sex and age."""
    if cohort.sex:
        yield f"p.gender = '{cohort.sex}'"
    if cohort.ages:
        low, high = cohort.ages
        yield f"{age(cohort)} BETWEEN {low} AND {high}"


def age(cohort: CohortSpec) -> str:
    """The age by the cohort's convention."""
    if cohort.convention == "anchor":
        return "p.anchor_age"
    return "p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year"


def has_code(coded: Condition | Concept, alias: str) -> str:
    """The predicate on rows of a table of ICD codes.

    >>> has_code(Condition("sepsis", "", ("038%",), ("A41%",)), "d").split(" OR ")[0]
    "((d.icd_version = 9 AND d.icd_code LIKE '038%')"
    """
    versions = ((9, coded.icd9), (10, coded.icd10))
    return _any(
        [
            f"({alias}.icd_version = {version} AND {_like(f'{alias}.icd_code', patterns)})"
            for version, patterns in versions
        ]
    )


def event_predicates(concept: Concept, alias: str = "e") -> Iterator[str]:
    """The conditions on rows of a table of events."""
    if concept.items:
        ids = ", ".join(map(str, concept.items))
        item = f"{alias}.itemid"
        yield f"{item} IN ({ids})" if len(concept.items) > 1 else f"{item} = {ids}"
    if concept.patterns:
        yield _like(f"LOWER({alias}.drug)", concept.patterns)
    if concept.icd9:
        yield has_code(concept, alias)
    if concept.has_values:
        low, high = concept.plausible
        yield f"{alias}.valuenum BETWEEN {low} AND {high}"


def outcome_predicate(outcome: Outcome, alias: str) -> str:
    """The condition on a stay that ends so."""
    column = f"{alias}.{outcome.column}"
    values = [f"{value!r}" for value in outcome.values]
    return f"{column} = {values[0]}" if len(values) == 1 else f"{column} IN ({', '.join(values)})"


def stays_with(concept: Concept) -> exp.Select:
    """The admissions with an event of a concept."""
    events = select("f.hadm_id").from_(table(concept.table, "f"))
    return events.where(*event_predicates(concept, "f"), dialect="bigquery")


def _like(column: str, patterns: tuple[str, ...]) -> str:
    return _any([f"{column} LIKE {pattern!r}" for pattern in patterns])


def _any(predicates: list[str]) -> str:
    return predicates[0] if len(predicates) == 1 else f"({' OR '.join(predicates)})"
