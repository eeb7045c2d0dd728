"""The first stages of a gold query: its cohort, and the value of each stay."""

from collections.abc import Iterator
from functools import lru_cache

from sqlglot import exp, select

from wardround.authoring.clinsql.concepts import Concept
from wardround.authoring.clinsql.gold_query.predicates import (
    code_predicate,
    cohort_predicates,
    event_predicates,
    stays_with,
)
from wardround.authoring.clinsql.gold_query.tables import (
    DIALECT,
    RecordTables,
    from_rows,
    join_rows,
    join_stays,
    key_sql,
    selected,
    sql,
)
from wardround.authoring.clinsql.specification import CohortSpec, QuestionSpec
from wardround.ehr.records import without_unread

# Kinds whose records name the stay in intensive care.
BY_STAY = ("vital", "intervention")


def cohort_stage(spec: QuestionSpec, tables: RecordTables) -> exp.Select:
    """The stays of the cohort."""
    end = spec.end if tables.has_end(spec) else ""
    return _stays(spec.cohort, end, spec.uses_discharge, tables).copy()


# Drafts ask about the same cohorts again and again.
@lru_cache(64)
def _stays(cohort: CohortSpec, end: str, uses_discharge: bool, tables: RecordTables) -> exp.Select:
    people, stays = tables.rows("patient"), tables.rows("admission", beside=("patient",))
    columns = _cohort_columns(cohort, end, tables)
    query = from_rows(select(*columns, dialect=DIALECT).distinct(), people)
    query = join_rows(query, stays, f"{sql(people, 'patient')} = {sql(stays, 'patient')}")
    admission, patient = sql(stays, "admission"), sql(stays, "patient")
    if cohort.condition:
        coded = tables.rows("diagnosis")
        query = join_stays(query, coded, "admission", admission, patient)
        query = query.where(
            code_predicate(cohort.condition, "diagnosis", coded, tables),
            dialect=DIALECT,
            copy=False,
        )
    intensive = tables.rows("icu") if cohort.icu else None
    if intensive:
        query = join_stays(query, intensive, "admission", admission, patient)
    if uses_discharge:
        finish = sql(intensive or stays, "finish")
        query = query.where(f"{finish} IS NOT NULL", dialect=DIALECT, copy=False)
    query = query.where(*cohort_predicates(cohort, tables), dialect=DIALECT, copy=False)
    return without_unread(query)


def _cohort_columns(cohort: CohortSpec, end: str, tables: RecordTables) -> Iterator[str]:
    people, stays = tables.rows("patient"), tables.rows("admission", beside=("patient",))
    yield selected(sql(people, "patient"), tables.name("patient", "patient"))
    yield selected(sql(stays, "admission"), tables.name("admission", "admission"))
    for column in ("time", "finish"):
        yield selected(tables.time(stays, column), tables.name("admission", column))
    if end:
        yield selected(sql(stays, end), tables.name("admission", end))
    if cohort.icu:
        intensive = tables.rows("icu")
        yield selected(sql(intensive, "stay"), tables.name("icu", "stay"))
        for column in ("time", "finish"):
            yield selected(tables.time(intensive, column), tables.name("icu", column))


def value_stages(spec: QuestionSpec, tables: RecordTables) -> dict[str, exp.Select]:
    """The value of each stay; the first value needs a stage of its own."""
    concept = spec.concept
    if spec.statistic == "length_of_stay":
        lengths = select(*_stay(spec, "c", tables), dialect=DIALECT)
        return {"stay_values": lengths.from_("cohort AS c")}
    if spec.statistic == "discharge_location":
        return dict(_locations(tables))
    if spec.statistic == "charlson":
        return {"stay_values": _indices(spec, tables)}
    if concept is None:
        return {"stay_values": _readmissions(spec, tables)}
    if spec.statistic == "performed":
        return {"stay_values": _performed(spec, concept, tables)}
    joined = _events(spec, concept, tables)
    if spec.statistic != "first":
        value = f"{aggregate(spec, tables)} AS {spec.value}"
        grouped = joined.select(*_stay(spec, "c", tables), value, dialect=DIALECT)
        grouped = grouped.group_by(*own_columns(spec, "c", tables))
        return {"stay_values": without_unread(grouped)}
    rows = tables.rows(concept.kind, "e")
    tie = next(column for column in ("record", "stored") if column in rows.columns)
    order = f"{sql(rows, 'time')}, {sql(rows, tie)}"
    number = (
        f"ROW_NUMBER() OVER (PARTITION BY c.{tables.key(spec.cohort)} ORDER BY {order}) AS place"
    )
    name = rows.columns["value"].name if rows.is_plain("value") else "value"
    reading = selected(sql(rows, "value"), name)
    events = joined.select(*own_columns(spec, "c", tables), reading, number, dialect=DIALECT)
    first = select(*_stay(spec, "o", tables), f"o.{name} AS {spec.value}", dialect=DIALECT)
    return {
        "ordered": without_unread(events),
        "stay_values": first.from_("ordered AS o").where("o.place = 1"),
    }


def _events(spec: QuestionSpec, concept: Concept, tables: RecordTables) -> exp.Select:
    """Events of a concept in the stays and the window."""
    rows = tables.rows(concept.kind, "e")
    by_stay = spec.cohort.icu and concept.kind in BY_STAY and "stay" in rows.columns
    kind, key = ("icu", "stay") if by_stay else ("admission", "admission")
    patient = f"c.{tables.name('patient', 'patient')}"
    query = join_stays(
        select().from_("cohort AS c"), rows, key, f"c.{tables.name(kind, key)}", patient
    )
    query = query.where(*_wanted(spec, concept, tables), dialect=DIALECT)
    if concept.companion and spec.statistic != "both":
        companions = stays_with(concept.companion, tables)
        query = query.where(rows.key("admission").copy().isin(query=companions))
    if spec.statistic == "days":
        query = query.where(f"{tables.time(rows, 'finish')} > {tables.time(rows)}", dialect=DIALECT)
    if spec.hours:
        start, time = f"c.{stay_ends(spec, tables)[0]}", tables.time(rows)
        query = query.where(
            f"{time} >= {start}", f"{time} < {_window_end(spec, start, tables)}", dialect=DIALECT
        )
    return query


def _window_end(spec: QuestionSpec, start: str, tables: RecordTables) -> str:
    if tables.is_by_day:
        return f"DATE_ADD({start}, INTERVAL {days_of(spec.hours)} DAY)"
    return f"DATETIME_ADD({start}, INTERVAL {spec.hours} HOUR)"


def days_of(hours: int | None) -> int:
    """The days of a window, where times are known to the day."""
    return (hours or 0) // 24


def _wanted(spec: QuestionSpec, concept: Concept, tables: RecordTables) -> list[str]:
    """The conditions on events; of either drug where both are counted."""
    rows = tables.rows(concept.kind, "e")
    predicates = list(event_predicates(concept, rows, tables))
    if spec.statistic != "both" or concept.companion is None:
        return predicates
    return [f"({' OR '.join([*predicates, *event_predicates(concept.companion, rows, tables)])})"]


def _performed(spec: QuestionSpec, concept: Concept, tables: RecordTables) -> exp.Select:
    """The number of procedures of a kind in each stay, 0 where there is none."""
    rows, admission = tables.rows(concept.kind, "e"), tables.name("admission", "admission")
    wanted = list(event_predicates(concept, rows, tables))
    query = select(*_stay(spec, "c", tables), dialect=DIALECT).from_("cohort AS c")
    if rows.where is None and rows.is_plain("code"):
        on = " AND ".join([f"c.{admission} = {key_sql(rows, 'admission')}", *wanted])
        source, counted = rows.table.copy(), sql(rows, "code")
    else:  # the procedures that count have to be chosen before the join, which keeps all stays
        ids = select(selected(key_sql(rows, "admission"), admission), dialect=DIALECT)
        chosen = without_unread(from_rows(ids, rows).where(*wanted, dialect=DIALECT))
        on, source = f"c.{admission} = e.{admission}", chosen.subquery("e")
        counted = f"e.{admission}"
    query = query.select(f"COUNT({counted}) AS {spec.value}", dialect=DIALECT)
    query = query.join(source, on=on, join_type="left", dialect=DIALECT)
    return query.group_by(*own_columns(spec, "c", tables))


def _locations(tables: RecordTables) -> Iterator[tuple[str, exp.Select]]:
    """The stays with a known discharge location, and their number."""
    roles = (("patient", "patient"), ("admission", "admission"), ("admission", "destination"))
    names = [f"c.{tables.name(*role)}" for role in roles]
    stays = select(*names).from_("cohort AS c")
    yield "stay_values", stays.where(f"{names[-1]} IS NOT NULL")
    yield "totals", select("COUNT(*) AS stays").from_("stay_values AS v")


def _indices(spec: QuestionSpec, tables: RecordTables) -> exp.Select:
    """The comorbidity index of each stay."""
    rows = tables.rows("comorbidity")
    index = f"{sql(rows, 'value')} AS {spec.value}"
    query = select(*_stay(spec, "c", tables), index, dialect=DIALECT).from_("cohort AS c")
    stay, patient = (f"c.{tables.name(each, each)}" for each in ("admission", "patient"))
    return without_unread(join_stays(query, rows, "admission", stay, patient))


def _readmissions(spec: QuestionSpec, tables: RecordTables) -> exp.Select:
    """Admissions within 30 days of a stay's end."""
    later, finish = tables.rows("admission", "n"), f"c.{tables.name('admission', 'finish')}"
    add = "DATE_ADD" if tables.is_by_day else "DATETIME_ADD"
    time = tables.time(later)
    on = [
        f"c.{tables.name('patient', 'patient')} = {sql(later, 'patient')}",
        f"{time} > {finish}",
        f"{time} <= {add}({finish}, INTERVAL 30 DAY)",
        *([later.where.sql(DIALECT)] if later.where is not None else []),
    ]
    value = f"COUNT({sql(later, 'admission')}) AS {spec.value}"
    query = select(*_stay(spec, "c", tables), value, dialect=DIALECT).from_("cohort AS c")
    query = query.join(later.table.copy(), on=" AND ".join(on), join_type="left", dialect=DIALECT)
    return query.group_by(*own_columns(spec, "c", tables))


def own_columns(spec: QuestionSpec, alias: str, tables: RecordTables) -> list[str]:
    """The columns of a stay that later stages read."""
    names = [tables.name("patient", "patient"), tables.name("admission", "admission")]
    names += [tables.name("icu", "stay")] if spec.cohort.icu else []
    if spec.uses_discharge:
        end = [tables.name("admission", spec.end)] if tables.has_end(spec) else []
        names += [*end, *stay_ends(spec, tables)]
    return [f"{alias}.{name}" for name in names]


def _stay(spec: QuestionSpec, alias: str, tables: RecordTables) -> list[str]:
    """The columns of a stay with its length."""
    start, end = (f"{alias}.{name}" for name in stay_ends(spec, tables))
    columns = [name for name in own_columns(spec, alias, tables) if name not in (start, end)]
    length = f"{days_between(start, end, tables)} AS length_of_stay"
    return [*columns, length] if spec.uses_discharge else columns


def stay_ends(spec: QuestionSpec, tables: RecordTables) -> tuple[str, str]:
    """The columns of a stay's beginning and end."""
    kind = "icu" if spec.cohort.icu else "admission"
    return tables.name(kind, "time"), tables.name(kind, "finish")


def days_between(start: str, end: str, tables: RecordTables) -> str:
    """The time between two times in days."""
    if tables.is_by_day:
        return f"DATE_DIFF({end}, {start}, DAY)"
    return f"DATETIME_DIFF({end}, {start}, HOUR) / 24"


def aggregate(spec: QuestionSpec, tables: RecordTables) -> str:
    """The value of a stay, or of all readings, from events."""
    concept = spec.concept
    if concept is None:
        raise ValueError(spec.statistic)
    rows = tables.rows(concept.kind, "e")
    if spec.statistic == "share":
        sign = f"> {concept.above}" if concept.above is not None else f"< {concept.below}"
        return f"100 * COUNTIF({sql(rows, 'value')} {sign}) / COUNT(*)"
    if spec.statistic == "both" and concept.companion:
        drugs = (concept, concept.companion)
        counts = [
            f"COUNTIF({' AND '.join(event_predicates(drug, rows, tables))}) > 0" for drug in drugs
        ]
        return f"IF({' AND '.join(counts)}, 1, 0)"
    if spec.statistic == "days":
        length = days_between(tables.time(rows), tables.time(rows, "finish"), tables)
        whole, slash, hours = length.partition(" / ")
        return f"SUM({whole}){slash}{hours}"
    if spec.statistic == "count":
        return "COUNT(*)"
    return f"{_AGGREGATES[spec.statistic]}({sql(rows, 'value')})"


_AGGREGATES = {"mean": "AVG", "lowest": "MIN", "highest": "MAX"}
