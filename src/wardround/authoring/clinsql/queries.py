"""The gold query of a specification, as a syntax tree in BigQuery's dialect."""

from collections.abc import Iterator

from sqlglot import exp, select

from wardround.authoring.clinsql.specification import Concept, QuestionSpec
from wardround.authoring.clinsql.tables import (
    cohort_predicates,
    event_predicates,
    has_condition,
    table,
)

_READ = {"dialect": "bigquery"}
# Tables whose rows name the stay in intensive care.
EVENTS_BY_STAY = ("chartevents", "procedureevents")


def query_text(spec: QuestionSpec) -> str:
    """The gold query, laid out on lines."""
    return gold_query(spec).sql("bigquery", pretty=True) + ";\n"


def gold_query(spec: QuestionSpec) -> exp.Select:
    """The gold query."""
    query = _staged(spec) if spec.is_staged else _single(spec)
    for interval in query.find_all(exp.Interval):
        # BigQuery takes a number, and the parser makes it a string.
        interval.set("this", exp.Literal.number(interval.name))
    return query


def _single(spec: QuestionSpec) -> exp.Select:
    """One SELECT of one cell, over two or three tables."""
    concept, cohort = spec.concept, spec.cohort
    source = table(concept.table, "e") if concept else table("admissions")
    stay = "e" if concept else "a"
    query = select(_cell(spec), **_READ).from_(table("patients"))
    query = query.join(source, on=f"p.subject_id = {stay}.subject_id", **_READ)
    if cohort.condition:
        coded = select("d.hadm_id").from_(table("diagnoses_icd"))
        coded = coded.where(has_condition(cohort.condition), **_READ)
        query = query.where(exp.column("hadm_id", stay).isin(query=coded))
    predicates = [*cohort_predicates(cohort), *(event_predicates(concept) if concept else ())]
    if not concept and spec.statistic == "length_of_stay":
        predicates.append("a.dischtime IS NOT NULL")
    return query.where(*predicates, **_READ)


def _cell(spec: QuestionSpec) -> str:
    if spec.summary == "patients":
        return "COUNT(DISTINCT p.subject_id) AS patient_count"
    if spec.summary == "mortality":
        return _percent("a.hospital_expire_flag = 1", "mortality_percent")
    if spec.concept is None:
        return f"ROUND(AVG({_days('a', 'admittime', 'dischtime')}), 2) AS average_length_of_stay"
    return f"ROUND({_AGGREGATES[spec.statistic]}, 2) AS {spec.value}"


def _staged(spec: QuestionSpec) -> exp.Select:
    """Named stages: the cohort, the value of each stay, ranks, and what is said of all."""
    stages = {"cohort": _cohort(spec), **_value_stages(spec)}
    last = "stay_values"
    if spec.summary in _RANKS:
        stages["ranked"] = _ranked(spec)
        last = "ranked"
    query = select(*_summary(spec), **_READ).from_(f"{last} AS v")
    if spec.summary in _RANKS:
        group = exp.column(_RANKS[spec.summary][1], "v")
        query = query.group_by(group).order_by(group.copy())
    for name, stage in stages.items():
        query = query.with_(name, as_=stage)
    return query


def _cohort(spec: QuestionSpec) -> exp.Select:
    cohort = spec.cohort
    columns = ["p.subject_id", "a.hadm_id", "a.admittime", "a.dischtime", "a.hospital_expire_flag"]
    columns += ["i.stay_id", "i.intime", "i.outtime"] if cohort.icu else []
    query = select(*columns).distinct().from_(table("patients"))
    query = query.join(table("admissions"), on="p.subject_id = a.subject_id")
    if cohort.condition:
        query = query.join(table("diagnoses_icd"), on="a.hadm_id = d.hadm_id")
        query = query.where(has_condition(cohort.condition), **_READ)
    if cohort.icu:
        query = query.join(table("icustays"), on="a.hadm_id = i.hadm_id")
    if spec.uses_discharge:
        query = query.where("i.outtime IS NOT NULL" if cohort.icu else "a.dischtime IS NOT NULL")
    return query.where(*cohort_predicates(cohort), **_READ)


def _value_stages(spec: QuestionSpec) -> dict[str, exp.Select]:
    """The value of each stay; the first value needs a stage of its own."""
    concept = spec.concept
    if spec.statistic == "length_of_stay":
        return {"stay_values": select(*_stay(spec, "c"), **_READ).from_("cohort AS c")}
    if concept is None:
        return {"stay_values": _readmissions(spec)}
    joined = _events(spec, concept)
    if spec.statistic != "first":
        value = _share(concept) if spec.statistic == "share" else _AGGREGATES[spec.statistic]
        grouped = joined.select(*_stay(spec, "c"), f"{value} AS {spec.value}", **_READ)
        return {"stay_values": grouped.group_by(*_own_columns(spec, "c"))}
    key = spec.cohort.key
    place = f"ROW_NUMBER() OVER (PARTITION BY c.{key} ORDER BY e.charttime, e.valuenum) AS place"
    events = joined.select(*_own_columns(spec, "c"), "e.valuenum", place, **_READ)
    first = select(*_stay(spec, "o"), f"o.valuenum AS {spec.value}", **_READ)
    return {"ordered": events, "stay_values": first.from_("ordered AS o").where("o.place = 1")}


def _events(spec: QuestionSpec, concept: Concept) -> exp.Select:
    key = spec.cohort.key if concept.table in EVENTS_BY_STAY else "hadm_id"
    query = select().from_("cohort AS c").join(table(concept.table, "e"), on=f"c.{key} = e.{key}")
    query = query.where(*event_predicates(concept), **_READ)
    if spec.statistic == "days":
        query = query.where("e.stoptime > e.starttime")
    if spec.hours:
        start = f"c.{spec.cohort.start}"
        end = f"DATETIME_ADD({start}, INTERVAL {spec.hours} HOUR)"
        query = query.where(f"e.{concept.time} >= {start}", f"e.{concept.time} < {end}", **_READ)
    return query


def _readmissions(spec: QuestionSpec) -> exp.Select:
    """Admissions within 30 days of a stay's end."""
    later = (
        "c.subject_id = n.subject_id AND n.admittime > c.dischtime"
        " AND n.admittime <= DATETIME_ADD(c.dischtime, INTERVAL 30 DAY)"
    )
    query = select(*_stay(spec, "c"), f"COUNT(n.hadm_id) AS {spec.value}", **_READ)
    query = query.from_("cohort AS c").join(
        table("admissions", "n"), on=later, join_type="left", **_READ
    )
    return query.group_by(*_own_columns(spec, "c"))


def _own_columns(spec: QuestionSpec, alias: str) -> list[str]:
    """The columns of a stay that later stages read."""
    names = ["subject_id", "hadm_id"]
    names += ["stay_id"] if spec.cohort.icu else []
    if spec.uses_discharge:
        names += ["hospital_expire_flag", *_ends(spec)]
    return [f"{alias}.{name}" for name in names]


def _stay(spec: QuestionSpec, alias: str) -> list[str]:
    """The columns of a stay with its length."""
    ends = [f"{alias}.{name}" for name in _ends(spec)]
    columns = [name for name in _own_columns(spec, alias) if name not in ends]
    length = f"{_days(alias, *_ends(spec))} AS length_of_stay"
    return [*columns, length] if spec.uses_discharge else columns


def _ends(spec: QuestionSpec) -> tuple[str, str]:
    return ("intime", "outtime") if spec.cohort.icu else ("admittime", "dischtime")


def _ranked(spec: QuestionSpec) -> exp.Select:
    rank, name = _RANKS[spec.summary]
    value = spec.value
    order = rank.format(value=f"v.{value}", key=f"v.{spec.cohort.key}")
    columns = [f"v.{c.split('.')[1]}" for c in _own_columns(spec, "v") if c[2:] not in _ends(spec)]
    columns += dict.fromkeys(["v.length_of_stay", f"v.{value}"])
    return select(*columns, f"{order} AS {name}", **_READ).from_("stay_values AS v")


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


def _days(alias: str, start: str, end: str) -> str:
    return f"DATETIME_DIFF({alias}.{end}, {alias}.{start}, HOUR) / 24"


def _share(concept: Concept) -> str:
    sign = f"> {concept.above}" if concept.above is not None else f"< {concept.below}"
    return f"100 * COUNTIF(e.valuenum {sign}) / COUNT(*)"


_AGGREGATES = {
    "mean": "AVG(e.valuenum)",
    "lowest": "MIN(e.valuenum)",
    "highest": "MAX(e.valuenum)",
    "count": "COUNT(*)",
    "days": "SUM(DATETIME_DIFF(e.stoptime, e.starttime, HOUR)) / 24",
}
_RANKS = {
    "quartiles": ("NTILE(4) OVER (ORDER BY {value}, {key})", "quartile"),
    "strata": (
        "CASE WHEN PERCENT_RANK() OVER (ORDER BY {value}) >= 0.75 THEN 1 ELSE 0 END",
        "top_quarter",
    ),
}
