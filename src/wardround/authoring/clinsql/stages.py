"""The first stages of a gold query: its cohort, and the value of each stay."""

from collections.abc import Iterator

from sqlglot import exp, select

from wardround.authoring.clinsql.concepts import Concept
from wardround.authoring.clinsql.specification import QuestionSpec
from wardround.authoring.clinsql.tables import (
    cohort_predicates,
    event_predicates,
    has_code,
    stays_with,
    table,
)

# Tables whose rows name the stay in intensive care.
EVENTS_BY_STAY = ("chartevents", "procedureevents")


def cohort_stage(spec: QuestionSpec) -> exp.Select:
    """The stays of the cohort."""
    cohort = spec.cohort
    columns = ["p.subject_id", "a.hadm_id", "a.admittime", "a.dischtime"]
    columns.append(f"a.{spec.end}")
    columns += ["i.stay_id", "i.intime", "i.outtime"] if cohort.icu else []
    query = select(*columns).distinct().from_(table("patients"))
    query = query.join(table("admissions"), on="p.subject_id = a.subject_id")
    if cohort.condition:
        query = query.join(table("diagnoses_icd"), on="a.hadm_id = d.hadm_id")
        query = query.where(has_code(cohort.condition, "d"), dialect="bigquery")
    if cohort.icu:
        query = query.join(table("icustays"), on="a.hadm_id = i.hadm_id")
    if spec.uses_discharge:
        query = query.where("i.outtime IS NOT NULL" if cohort.icu else "a.dischtime IS NOT NULL")
    return query.where(*cohort_predicates(cohort), dialect="bigquery")


def value_stages(spec: QuestionSpec) -> dict[str, exp.Select]:
    """The value of each stay; the first value needs a stage of its own."""
    concept = spec.concept
    if spec.statistic == "length_of_stay":
        return {"stay_values": select(*_stay(spec, "c"), dialect="bigquery").from_("cohort AS c")}
    if spec.statistic == "discharge_location":
        return dict(_locations())
    if spec.statistic == "charlson":
        return {"stay_values": _indices(spec)}
    if concept is None:
        return {"stay_values": _readmissions(spec)}
    joined = _performed(concept) if spec.statistic == "performed" else _events(spec, concept)
    if spec.statistic != "first":
        value = f"{aggregate(spec)} AS {spec.value}"
        grouped = joined.select(*_stay(spec, "c"), value, dialect="bigquery")
        return {"stay_values": grouped.group_by(*own_columns(spec, "c"))}
    key = spec.cohort.key
    tie = "labevent_id" if concept.table == "labevents" else "storetime"
    place = f"ROW_NUMBER() OVER (PARTITION BY c.{key} ORDER BY e.charttime, e.{tie}) AS place"
    events = joined.select(*own_columns(spec, "c"), "e.valuenum", place, dialect="bigquery")
    first = select(*_stay(spec, "o"), f"o.valuenum AS {spec.value}", dialect="bigquery")
    return {"ordered": events, "stay_values": first.from_("ordered AS o").where("o.place = 1")}


def _events(spec: QuestionSpec, concept: Concept) -> exp.Select:
    key = spec.cohort.key if concept.table in EVENTS_BY_STAY else "hadm_id"
    query = select().from_("cohort AS c").join(table(concept.table, "e"), on=f"c.{key} = e.{key}")
    query = query.where(*_wanted(spec, concept), dialect="bigquery")
    if concept.companion and spec.statistic != "both":
        query = query.where(exp.column("hadm_id", "e").isin(query=stays_with(concept.companion)))
    if spec.statistic == "days":
        query = query.where("e.stoptime > e.starttime")
    if spec.hours:
        start = f"c.{spec.cohort.start}"
        end = f"DATETIME_ADD({start}, INTERVAL {spec.hours} HOUR)"
        query = query.where(
            f"e.{concept.time} >= {start}", f"e.{concept.time} < {end}", dialect="bigquery"
        )
    return query


def _wanted(spec: QuestionSpec, concept: Concept) -> list[str]:
    """The conditions on events; of either drug where both are counted."""
    own = list(event_predicates(concept))
    if spec.statistic != "both" or concept.companion is None:
        return own
    return [f"({' OR '.join([*own, *event_predicates(concept.companion)])})"]


def _performed(concept: Concept) -> exp.Select:
    """All stays, with their procedures of a kind where they have them."""
    on = " AND ".join(["c.hadm_id = e.hadm_id", *event_predicates(concept)])
    source = table(concept.table, "e")
    query = select().from_("cohort AS c")
    return query.join(source, on=on, join_type="left", dialect="bigquery")


def _locations() -> Iterator[tuple[str, exp.Select]]:
    """The stays with a known discharge location, and their number."""
    stays = select("c.subject_id", "c.hadm_id", "c.discharge_location").from_("cohort AS c")
    yield "stay_values", stays.where("c.discharge_location IS NOT NULL")
    yield "totals", select("COUNT(*) AS stays").from_("stay_values AS v")


def _indices(spec: QuestionSpec) -> exp.Select:
    """The comorbidity index of each stay."""
    index = f"m.charlson_comorbidity_index AS {spec.value}"
    query = select(*_stay(spec, "c"), index, dialect="bigquery").from_("cohort AS c")
    return query.join(table("charlson"), on="c.hadm_id = m.hadm_id")


def _readmissions(spec: QuestionSpec) -> exp.Select:
    """Admissions within 30 days of a stay's end."""
    later = (
        "c.subject_id = n.subject_id AND n.admittime > c.dischtime"
        " AND n.admittime <= DATETIME_ADD(c.dischtime, INTERVAL 30 DAY)"
    )
    query = select(*_stay(spec, "c"), f"COUNT(n.hadm_id) AS {spec.value}", dialect="bigquery")
    query = query.from_("cohort AS c").join(
        table("admissions", "n"), on=later, join_type="left", dialect="bigquery"
    )
    return query.group_by(*own_columns(spec, "c"))


def own_columns(spec: QuestionSpec, alias: str) -> list[str]:
    """The columns of a stay that later stages read."""
    names = ["subject_id", "hadm_id"]
    names += ["stay_id"] if spec.cohort.icu else []
    if spec.uses_discharge:
        names += [spec.end, *stay_ends(spec)]
    return [f"{alias}.{name}" for name in names]


def _stay(spec: QuestionSpec, alias: str) -> list[str]:
    """The columns of a stay with its length."""
    ends = [f"{alias}.{name}" for name in stay_ends(spec)]
    columns = [name for name in own_columns(spec, alias) if name not in ends]
    length = f"{days_between(alias, *stay_ends(spec))} AS length_of_stay"
    return [*columns, length] if spec.uses_discharge else columns


def stay_ends(spec: QuestionSpec) -> tuple[str, str]:
    """The columns of a stay's beginning and end."""
    return ("intime", "outtime") if spec.cohort.icu else ("admittime", "dischtime")


def days_between(alias: str, start: str, end: str) -> str:
    """The time between two columns in days."""
    return f"DATETIME_DIFF({alias}.{end}, {alias}.{start}, HOUR) / 24"


def aggregate(spec: QuestionSpec) -> str:
    """The value of a stay, or of all readings, from events."""
    concept = spec.concept
    if spec.statistic == "share" and concept:
        sign = f"> {concept.above}" if concept.above is not None else f"< {concept.below}"
        return f"100 * COUNTIF(e.valuenum {sign}) / COUNT(*)"
    if spec.statistic == "both" and concept and concept.companion:
        drugs = (concept, concept.companion)
        counts = [f"COUNTIF({' AND '.join(event_predicates(drug))}) > 0" for drug in drugs]
        return f"IF({' AND '.join(counts)}, 1, 0)"
    return _AGGREGATES[spec.statistic]


_AGGREGATES = {
    "mean": "AVG(e.valuenum)",
    "lowest": "MIN(e.valuenum)",
    "highest": "MAX(e.valuenum)",
    "count": "COUNT(*)",
    "performed": "COUNT(e.icd_code)",
    "days": "SUM(DATETIME_DIFF(e.stoptime, e.starttime, HOUR)) / 24",
}
