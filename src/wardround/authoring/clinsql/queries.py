"""The gold query of a specification, as a syntax tree in BigQuery's dialect."""

from collections.abc import Iterator

from sqlglot import exp, select

from wardround.authoring.clinsql.specification import QuestionSpec
from wardround.authoring.clinsql.stages import (
    AGGREGATES,
    cohort_stage,
    days_between,
    own_columns,
    stay_ends,
    value_stages,
)
from wardround.authoring.clinsql.tables import (
    cohort_predicates,
    event_predicates,
    has_condition,
    table,
)


def query_text(spec: QuestionSpec) -> str:
    """The gold query, laid out on lines."""
    return bigquery_text(gold_query(spec), pretty=True) + ";\n"


def gold_query(spec: QuestionSpec) -> exp.Select:
    """The gold query."""
    return _staged(spec) if spec.is_staged else _single(spec)


def bigquery_text(query: exp.Expr, *, pretty: bool = False) -> str:
    """The text of a query; BigQuery takes a number of hours, and the parser makes it a string."""
    plain = query.copy()
    for later in plain.find_all(exp.DatetimeAdd):
        later.set("expression", exp.Literal.number(later.expression.name))
    return plain.sql("bigquery", pretty=pretty)


def _single(spec: QuestionSpec) -> exp.Select:
    """One SELECT of one cell, over two or three tables."""
    concept, cohort = spec.concept, spec.cohort
    source = table(concept.table, "e") if concept else table("admissions")
    stay = "e" if concept else "a"
    query = select(_cell(spec), dialect="bigquery").from_(table("patients"))
    query = query.join(source, on=f"p.subject_id = {stay}.subject_id", dialect="bigquery")
    if cohort.condition:
        coded = select("d.hadm_id").from_(table("diagnoses_icd"))
        coded = coded.where(has_condition(cohort.condition), dialect="bigquery")
        query = query.where(exp.column("hadm_id", stay).isin(query=coded))
    predicates = [*cohort_predicates(cohort), *(event_predicates(concept) if concept else ())]
    if spec.summary == "average" and not concept:
        predicates.append("a.dischtime IS NOT NULL")
    return query.where(*predicates, dialect="bigquery")


def _cell(spec: QuestionSpec) -> str:
    if spec.summary == "patients":
        return "COUNT(DISTINCT p.subject_id) AS patient_count"
    if spec.summary == "mortality":
        return _percent("a.hospital_expire_flag = 1", "mortality_percent")
    if spec.concept is None:
        length = days_between("a", "admittime", "dischtime")
        return f"ROUND(AVG({length}), 2) AS average_length_of_stay"
    return f"ROUND({AGGREGATES[spec.statistic]}, 2) AS {spec.value}"


def _staged(spec: QuestionSpec) -> exp.Select:
    """Named stages: the cohort, the value of each stay, ranks, and what is said of all."""
    stages = {"cohort": cohort_stage(spec), **value_stages(spec)}
    last = "stay_values"
    if spec.summary in _RANKS:
        stages["ranked"] = _ranked(spec)
        last = "ranked"
    query = select(*_summary(spec), dialect="bigquery").from_(f"{last} AS v")
    if spec.summary in _RANKS:
        group = exp.column(_RANKS[spec.summary][1], "v")
        query = query.group_by(group).order_by(group.copy())
    for name, stage in stages.items():
        query = query.with_(name, as_=stage)
    return query


def _ranked(spec: QuestionSpec) -> exp.Select:
    rank, name = _RANKS[spec.summary]
    value = spec.value
    order = rank.format(value=f"v.{value}", key=f"v.{spec.cohort.key}")
    columns = [
        f"v.{c.split('.')[1]}" for c in own_columns(spec, "v") if c[2:] not in stay_ends(spec)
    ]
    columns += dict.fromkeys(["v.length_of_stay", f"v.{value}"])
    return select(*columns, f"{order} AS {name}", dialect="bigquery").from_("stay_values AS v")


def _summary(spec: QuestionSpec) -> Iterator[str]:
    """The columns of the result."""
    value = f"v.{spec.value}"
    if spec.summary in _RANKS:
        yield f"v.{_RANKS[spec.summary][1]}"
    yield "COUNT(DISTINCT v.subject_id) AS patient_count"
    yield f"COUNT(DISTINCT v.{spec.cohort.key}) AS stay_count"
    if spec.summary == "burden":
        sign, limit = spec.limit
        yield f"COUNTIF({value} {sign} {limit}) AS burdened_count"
        yield _percent(f"{value} {sign} {limit}", "burdened_percent")
        return
    yield f"ROUND(AVG({value}), 2) AS average_{spec.value}"
    if spec.summary == "spread":
        for percent in (25, 50, 75):
            quantile = f"APPROX_QUANTILES({value}, 100)[OFFSET({percent})]"
            yield f"ROUND({quantile}, 2) AS p{percent}_{spec.value}"
        return
    if spec.value != "length_of_stay":
        yield "ROUND(AVG(v.length_of_stay), 2) AS average_length_of_stay"
    yield _percent("v.hospital_expire_flag = 1", "mortality_percent")


def _percent(predicate: str, name: str) -> str:
    return f"ROUND(100 * COUNTIF({predicate}) / COUNT(*), 2) AS {name}"


_RANKS = {
    "quartiles": ("NTILE(4) OVER (ORDER BY {value}, {key})", "quartile"),
    "strata": (
        "DIV(NTILE(4) OVER (ORDER BY {value}, {key}), 4)",
        "top_quarter",
    ),
}
