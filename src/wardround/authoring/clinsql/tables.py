"""Published names of tables, and predicates on their rows."""

from collections.abc import Iterator

from sqlglot import exp

from wardround.authoring.clinsql.specification import CohortSpec, Concept, Condition
from wardround.ehr.schema import load_schema

_PROJECT = "physionet-data"
ALIASES = {
    "patients": "p",
    "admissions": "a",
    "diagnoses_icd": "d",
    "icustays": "i",
}


def table(name: str, alias: str = "") -> exp.Table:
    """A table under its published name.

    >>> table("patients").sql("bigquery")
    '`physionet-data.mimiciv_3_1_hosp.patients` AS p'
    """
    module = next(t.module for t in load_schema("mimic_iv").tables if t.name == name)
    path = exp.to_identifier(f"{_PROJECT}.mimiciv_3_1_{module}.{name}", quoted=True)
    name_here = exp.TableAlias(this=exp.to_identifier(alias or ALIASES[name]))
    return exp.Table(this=path, alias=name_here)


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


def has_condition(condition: Condition) -> str:
    """The predicate on rows of diagnoses.

    >>> has_condition(Condition("sepsis", ("038%",), ("A41%",))).split(" OR ")[0]
    "((d.icd_version = 9 AND d.icd_code LIKE '038%')"
    """
    versions = ((9, condition.icd9), (10, condition.icd10))
    parts = [
        f"(d.icd_version = {version} AND {_any([f'd.icd_code LIKE {p!r}' for p in patterns])})"
        for version, patterns in versions
    ]
    return _any(parts)


def event_predicates(concept: Concept) -> Iterator[str]:
    """The conditions on rows of a table of events, aliased e."""
    if concept.items:
        ids = ", ".join(map(str, concept.items))
        yield f"e.itemid IN ({ids})" if len(concept.items) > 1 else f"e.itemid = {ids}"
    if concept.patterns:
        yield _any([f"LOWER(e.drug) LIKE {pattern!r}" for pattern in concept.patterns])
    if concept.has_values:
        low, high = concept.plausible
        yield f"e.valuenum BETWEEN {low} AND {high}"


def _any(predicates: list[str]) -> str:
    return predicates[0] if len(predicates) == 1 else f"({' OR '.join(predicates)})"
