"""The gold query of a specification, as a syntax tree in BigQuery's dialect."""

from collections.abc import Iterator
from functools import lru_cache

from sqlglot import exp, select

from wardround.authoring.clinsql.gold_query.predicates import (
    code_predicate,
    cohort_predicates,
    event_predicates,
    outcome_predicate,
    stays_with,
)
from wardround.authoring.clinsql.gold_query.stages import (
    aggregate,
    cohort_stage,
    days_between,
    own_columns,
    stay_ends,
    value_stages,
)
from wardround.authoring.clinsql.gold_query.tables import (
    DIALECT,
    RecordTables,
    from_rows,
    join_rows,
    join_stays,
    key_sql,
    sql,
)
from wardround.authoring.clinsql.specification import QuestionSpec
from wardround.ehr.records import JoinedRows, without_unread


# The checks of a draft ask for the queries of the same few specifications again and again.
@lru_cache(64)
def query_text(spec: QuestionSpec, tables: RecordTables) -> str:
    """The gold query, laid out on lines."""
    return bigquery_text(gold_query(spec, tables), pretty=True) + ";\n"


@lru_cache(64)
def gold_query(spec: QuestionSpec, tables: RecordTables) -> exp.Select:
    """The gold query, which is not to be changed."""
    return _staged(spec, tables) if spec.is_staged else _single(spec, tables)


def bigquery_text(query: exp.Expr, *, pretty: bool = False) -> str:
    """The text of a query; BigQuery takes a number of hours, and the parser makes it a string."""
    plain = query.copy()
    for later in plain.find_all(exp.DatetimeAdd, exp.DateAdd):
        later.set("expression", exp.Literal.number(later.expression.name))
    return plain.sql(DIALECT, pretty=pretty, copy=False)


def _single(spec: QuestionSpec, tables: RecordTables) -> exp.Select:
    """One SELECT of one cell, over two or three tables; over stays as well if the age is theirs."""
    concept, cohort = spec.concept, spec.cohort
    people, source = tables.rows("patient"), _source(spec, tables)
    query = from_rows(select(_cell(spec, tables), dialect=DIALECT), people)
    by_stay = cohort.convention == "admission" and _kind(spec) != "admission"
    on = f"{sql(people, 'patient')} = {{}}"
    if by_stay:
        stays = tables.rows("admission", beside=("patient",))
        query = join_rows(query, stays, on.format(sql(stays, "patient")))
        query = join_stays(
            query, source, "admission", sql(stays, "admission"), sql(stays, "patient")
        )
    else:
        query = join_rows(query, source, on.format(sql(source, "patient")))
    # A shorter key may name something other than a stay, unless the stays are joined.
    key = source.key("admission") if by_stay else source.columns["admission"]
    if cohort.condition:
        coded = tables.rows("diagnosis")
        ids = from_rows(select(key_sql(coded, "admission"), dialect=DIALECT), coded)
        ids = ids.where(
            code_predicate(cohort.condition, "diagnosis", coded, tables), dialect=DIALECT
        )
        query = query.where(key.copy().isin(query=without_unread(ids)))
    if concept and concept.companion:
        query = query.where(key.copy().isin(query=stays_with(concept.companion, tables)))
    events = event_predicates(concept, source, tables) if concept else ()
    predicates = [*cohort_predicates(cohort, tables), *events]
    if spec.summary == "average" and spec.statistic == "length_of_stay":
        predicates.append(f"{sql(source, 'finish')} IS NOT NULL")
    return without_unread(query.where(*predicates, dialect=DIALECT))


def _kind(spec: QuestionSpec) -> str:
    """The kind of record that a single SELECT measures."""
    if spec.concept:
        return spec.concept.kind
    return "comorbidity" if spec.statistic == "charlson" else "admission"


def _source(spec: QuestionSpec, tables: RecordTables) -> JoinedRows:
    alias = "e" if spec.concept else ""
    return tables.rows(_kind(spec), alias, beside=("patient",))


def _cell(spec: QuestionSpec, tables: RecordTables) -> str:
    source = _source(spec, tables)
    match spec.summary, spec.statistic:
        case "patients", _:
            patient = sql(tables.rows("patient"), "patient")
            return f"COUNT(DISTINCT {patient}) AS patient_count"
        case "outcome", _:
            name = f"{spec.counted}_percent"
            ended = sql(source, spec.outcome.column)
            return _percent(outcome_predicate(spec.outcome, ended), name)
        case "median", "charlson":
            return f"{_quantile(sql(source, 'value'), 50)} AS median_{spec.value}"
        case "average", "charlson":
            return f"ROUND(AVG({sql(source, 'value')}), 2) AS average_{spec.value}"
        case "average", "length_of_stay":
            length = days_between(tables.time(source), tables.time(source, "finish"), tables)
            return f"ROUND(AVG({length}), 2) AS average_length_of_stay"
    return f"ROUND({aggregate(spec, tables)}, 2) AS {spec.value}"


def _staged(spec: QuestionSpec, tables: RecordTables) -> exp.Select:
    """Named stages: the cohort, the value of each stay, ranks, and the summary of all."""
    stages = {"cohort": cohort_stage(spec, tables), **value_stages(spec, tables)}
    last = "stay_values"
    if spec.summary in _RANKS:
        stages["ranked"] = _ranked(spec, tables)
        last = "ranked"
    query = select(*_summary(spec, tables), dialect=DIALECT).from_(f"{last} AS v")
    if spec.summary == "distribution":
        query = query.join("totals AS t", join_type="cross")
    if group := _group(spec):
        query = query.group_by(f"v.{group}").order_by(f"v.{group}")
    for name, stage in stages.items():
        query = query.with_(name, as_=stage, copy=False)
    return query


def _group(spec: QuestionSpec) -> str:
    """The column by which the result is grouped; "" if it is one row."""
    if spec.summary == "distribution":
        return spec.value
    return _RANKS[spec.summary][1] if spec.summary in _RANKS else ""


def _ranked(spec: QuestionSpec, tables: RecordTables) -> exp.Select:
    rank, name = _RANKS[spec.summary]
    value, ends = spec.value, stay_ends(spec, tables)
    order = rank.format(value=f"v.{value}", key=f"v.{tables.key(spec.cohort)}")
    keys = own_columns(spec, "v", tables)
    columns = [f"v.{c.split('.')[1]}" for c in keys if c[2:] not in ends]
    columns += dict.fromkeys(["v.length_of_stay", f"v.{value}"])
    return select(*columns, f"{order} AS {name}", dialect=DIALECT).from_("stay_values AS v")


def _summary(spec: QuestionSpec, tables: RecordTables) -> Iterator[str]:
    """The columns of the result."""
    value = f"v.{spec.value}"
    if group := _group(spec):
        yield f"v.{group}"
    yield f"COUNT(DISTINCT v.{tables.name('patient', 'patient')}) AS patient_count"
    yield f"COUNT(DISTINCT v.{tables.key(spec.cohort)}) AS stay_count"
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
    ended = f"v.{tables.name('admission', spec.end)}"
    outcome = outcome_predicate(spec.outcome, ended)
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
