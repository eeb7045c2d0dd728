"""`mimiciv_derived.charlson`: the Charlson comorbidity index of each admission.

Comorbidities by Quan et al., Medical Care 2005;43(11):1130-1139; weights and the points for age
by Charlson et al., J Chronic Dis 1987;40(5):373-383 and J Clin Epidemiol 1994;47(11):1245-1251.
The columns follow the table of that name that MIT's Laboratory for Computational Physiology
publishes with MIMIC-IV. The published table misspells one code, E10.1, and misses it; this one
counts it.
"""

from collections.abc import Callable
from csv import DictReader
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from sqlglot import exp, parse_one

CHARLSON = "charlson"
# A condition that is counted only where the graver one is not found.
_GRAVER = {
    "mild_liver_disease": "severe_liver_disease",
    "diabetes_without_cc": "diabetes_with_cc",
    "malignant_cancer": "metastatic_solid_tumor",
}


class Comorbidity(NamedTuple):
    """One of the seventeen comorbidities.

    Attributes:
        name: The column's name.
        points: Its weight in the index.
        codes: Prefixes or ranges of prefixes by ICD version.
    """

    name: str
    points: int
    codes: dict[int, tuple[str, ...]]


@cache
def comorbidities() -> tuple[Comorbidity, ...]:
    """The comorbidities, in the order of the table's columns."""
    lines = (files(__package__) / "charlson.tsv").read_text().splitlines()
    rows = DictReader((line for line in lines if not line.startswith("#")), delimiter="\t")
    return tuple(
        Comorbidity(
            row["condition"],
            int(row["points"]),
            {9: tuple(row["icd9"].split()), 10: tuple(row["icd10"].split())},
        )
        for row in rows
    )


@cache
def charlson_columns() -> tuple[str, ...]:
    """The columns of the table.

    >>> charlson_columns()[-1]
    'charlson_comorbidity_index'
    """
    names = (each.name for each in comorbidities())
    return ("subject_id", "hadm_id", "age_score", *names, "charlson_comorbidity_index")


def charlson_query(source: Callable[[str], exp.Expr]) -> exp.Query:
    """The table as a query over the tables that `source` gives."""
    query = _parsed().copy()
    for table in list(query.find_all(exp.Table)):
        if table.name.startswith("source_"):
            rows = source(table.name.removeprefix("source_"))
            table.replace(exp.alias_(rows.copy(), table.alias, table=True))
    return query


@cache
def _parsed() -> exp.Query:
    flags = ",\n".join(f"MAX({_matches(each)}) AS {each.name}" for each in comorbidities())
    shown = ", ".join(f"f.{each.name}" for each in comorbidities())
    points = " + ".join(_points(each) for each in comorbidities())
    sql = f"""
    SELECT f.subject_id, f.hadm_id, f.age_score, {shown},
        CAST(f.age_score + {points} AS BIGINT) AS charlson_comorbidity_index
    FROM (
        SELECT a.subject_id, a.hadm_id,
            MAX(CASE WHEN age.years <= 50 THEN 0 WHEN age.years <= 60 THEN 1
                WHEN age.years <= 70 THEN 2 WHEN age.years <= 80 THEN 3 ELSE 4 END) AS age_score,
            {flags}
        FROM source_admissions AS a
        JOIN (
            SELECT b.hadm_id, p.anchor_age + YEAR(b.admittime) - p.anchor_year AS years
            FROM source_admissions AS b
            JOIN source_patients AS p ON p.subject_id = b.subject_id
        ) AS age ON age.hadm_id = a.hadm_id
        LEFT JOIN source_diagnoses_icd AS d ON d.hadm_id = a.hadm_id
        GROUP BY a.subject_id, a.hadm_id
    ) AS f
    """  # noqa: S608
    tree = parse_one(sql, read="duckdb")
    assert isinstance(tree, exp.Query)  # noqa: S101 - a SELECT, by its text
    return tree


def _points(each: Comorbidity) -> str:
    graver = _GRAVER.get(each.name)
    points = f"f.{each.name}" if graver is None else f"f.{each.name} * (1 - f.{graver})"
    return f"{each.points} * {points}"


def _matches(each: Comorbidity) -> str:
    """1 if a diagnosis is one of the comorbidity's codes, else 0."""
    editions = " OR ".join(
        f"d.icd_version = {version} AND ({_any_prefix(codes)})"
        for version, codes in each.codes.items()
    )
    return f"CASE WHEN {editions} THEN 1 ELSE 0 END"


def _any_prefix(codes: tuple[str, ...]) -> str:
    return " OR ".join(_prefix(code) for code in codes)


def _prefix(code: str) -> str:
    first, _, last = code.partition("-")
    if last:
        return f"SUBSTRING(d.icd_code, 1, {len(first)}) BETWEEN '{first}' AND '{last}'"
    return f"STARTS_WITH(d.icd_code, '{code}')"
