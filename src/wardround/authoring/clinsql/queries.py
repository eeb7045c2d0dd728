"""The gold query of a specification, as a syntax tree in BigQuery's dialect."""

from collections.abc import Iterator

from sqlglot import exp, select

from wardround.authoring.clinsql.specification import QuestionSpec
from wardround.authoring.clinsql.stages import (
    aggregate,
    cohort_stage,
    days_between,
    own_columns,
    stay_ends,
    value_stages,
)
from wardround.authoring.clinsql.tables import (
    cohort_predicates,
    event_predicates,
    has_code,
    outcome_predicate,
    stays_with,
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
    source = _source(spec)
    stay = source.alias
    query = select(_cell(spec), dialect="bigquery").from_(table("patients"))
    query = query.join(source, on=f"p.subject_id = {stay}.subject_id", dialect="bigquery")
    if cohort.condition:
        coded = select("d.hadm_id").from_(table("diagnoses_icd"))
        coded = coded.where(has_code(cohort.condition, "d"), dialect="bigquery")
        query = query.where(exp.column("hadm_id", stay).isin(query=coded))
    if concept and concept.companion:
        query = query.where(exp.column("hadm_id", stay).isin(query=stays_with(concept.companion)))
    predicates = [*cohort_predicates(cohort), *(event_predicates(concept) if concept else ())]
    if spec.summary == "average" and spec.statistic == "length_of_stay":
        predicates.append("a.dischtime IS NOT NULL")
    return query.where(*predicates, dialect="bigquery")


def _source(spec: QuestionSpec) -> exp.Table:
    if spec.concept:
        return table(spec.concept.table, "e")
    return table("charlson" if spec.statistic == "charlson" else "admissions")


def _cell(spec: QuestionSpec) -> str:
    index = "m.charlson_comorbidity_index"
    match spec.summary, spec.statistic:
        case "patients", _:
            return "COUNT(DISTINCT p.subject_id) AS patient_count"
        case "outcome", _:
            name = f"{spec.counted}_percent"
            return _percent(outcome_predicate(spec.outcome, "a"), name)
        case "median", "charlson":
            return f"{_quantile(index, 50)} AS median_{spec.value}"
        case "average", "charlson":
            return f"ROUND(AVG({index}), 2) AS average_{spec.value}"
        case "average", "length_of_stay":
            length = days_between("a", "admittime", "dischtime")
            return f"ROUND(AVG({length}), 2) AS average_length_of_stay"
    return f"ROUND({aggregate(spec)}, 2) AS {spec.value}"


def _staged(spec: QuestionSpec) -> exp.Select:
    """Named stages: the cohort, the value of each stay, ranks, and what is said of all."""
    stages = {"cohort": cohort_stage(spec), **value_stages(spec)}
    last = "stay_values"
    if spec.summary in _RANKS:
        stages["ranked"] = _ranked(spec)
        last = "ranked"
    query = select(*_summary(spec), dialect="bigquery").from_(f"{last} AS v")
    if spec.summary == "distribution":
        query = query.join("totals AS t", join_type="cross")
    if group := _group(spec):
        query = query.group_by(f"v.{group}").order_by(f"v.{group}")
    for name, stage in stages.items():
        query = query.with_(name, as_=stage)
    return query


def _group(spec: QuestionSpec) -> str:
    """The column by which the result is grouped; "" if it is one row."""
    if spec.summary == "distribution":
        return spec.value
    return _RANKS[spec.summary][1] if spec.summary in _RANKS else ""


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
    value, outcome = f"v.{spec.value}", outcome_predicate(spec.outcome, "v")
    if group := _group(spec):
        yield f"v.{group}"
    yield "COUNT(DISTINCT v.subject_id) AS patient_count"
    yield f"COUNT(DISTINCT v.{spec.cohort.key}) AS stay_count"
    if spec.summary == "distribution":
        yield "ROUND(100 * COUNT(*) / MAX(t.stays), 2) AS stay_percent"
        return
    if spec.summary == "burden":
        sign, limit = spec.limit
        yield f"COUNTIF({value} {sign} {limit}) AS {spec.counted}_count"
        yield _percent(f"{value} {sign} {limit}", f"{spec.counted}_percent")
        return
    yield f"ROUND(AVG({value}), 2) AS average_{spec.value}"
    if spec.summary == "spread":
        for percent in (25, 50, 75):
            yield f"{_quantile(value, percent)} AS p{percent}_{spec.value}"
        return
    if spec.value != "length_of_stay":
        yield "ROUND(AVG(v.length_of_stay), 2) AS average_length_of_stay"
    if spec.summary == "outcome":
        yield f"COUNTIF({outcome}) AS {spec.counted}_count"
    yield _percent(outcome, f"{spec.counted}_percent")


def _quantile(value: str, percent: int) -> str:
    return f"ROUND(APPROX_QUANTILES({value}, 100)[OFFSET({percent})], 2)"


def _percent(predicate: str, name: str) -> str:
    return f"ROUND(100 * COUNTIF({predicate}) / COUNT(*), 2) AS {name}"


_RANKS = {
    "quartiles": ("NTILE(4) OVER (ORDER BY {value}, {key})", "quartile"),
    "strata": (
        "DIV(NTILE(4) OVER (ORDER BY {value}, {key}), 4)",
        "top_quarter",
    ),
}
