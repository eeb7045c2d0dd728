"""The SQL of a question before its values: a form, filled with the pieces of a schema."""

from collections.abc import Mapping
from typing import Any

from wardround.authoring.ehrsql.templates.operations import Operation
from wardround.authoring.ehrsql.templates.pieces import EventSql
from wardround.authoring.ehrsql.templates.records import Records, load_records
from wardround.authoring.ehrsql.templates.stays import (
    StaySql,
    Times,
    between,
    on_time,
    same_visit,
    stays_of_patient,
)
from wardround.authoring.ehrsql.templates.templates import QuestionTemplate
from wardround.core.packaged_data import read_toml


def form_sql(
    template: QuestionTemplate,
    schema: str,
    operations: Mapping[str, Operation],
    times: Times,
    vital_sign: str = "",
) -> str:
    """The question's SQL in SQLite's manner and the base schema's names, with values left open.

    Raises:
        KeyError: If the schema has not what the question is about.
    """
    records = load_records(schema)
    chosen = {slot: operation.sql for slot, operation in operations.items()}
    text = _text(template.form, records.schema)
    return text.format(**records.pieces, **chosen, **_pieces(template, records, times, vital_sign))


def _pieces(
    template: QuestionTemplate, records: Records, times: Times, vital_sign: str
) -> dict[str, Any]:
    home, stays = records.home, records.stays
    pieces: dict[str, Any] = {
        "home": home,
        "p": home.person,
        "stays": StaySql(stays, records, times),
        "units": StaySql(records.units, records, times),
        "charged_in_time": on_time("global1", _charge_time(records), times),
        "of_person": _of_person(records, times),
    }
    pieces |= {f"deaths_{t}": records.pieces["deaths"].format(t=t) for t in ("t1", "t2")}
    if not template.event:
        return pieces
    one = EventSql(records, records.events[template.event], times, template.named_by, vital_sign)
    then = template.then or template.event
    other = EventSql(records, records.events[then], times, template.then_named_by, vital_sign)
    return pieces | {"e": one, "f": other} | _pair(one, other, records, times)


def _pair(one: EventSql, other: EventSql, records: Records, times: Times) -> dict[str, str]:
    stay, start = records.home.stay, f"{records.stays.table}.{records.stays.start}"
    first = ", ".join(f"t1.{name}" for name in (records.home.person, one.when))
    death = between(times, f"t2.{one.when}", "t3.died", stay)
    before = between(times, "t3.died", f"t2.{one.when}", stay)
    return {
        "within": between(times, f"t1.{one.when}", f"t2.{other.when}", stay),
        "within_return": between(times, f"t2.{one.when}", start, stay),
        "rank_of_t1": one.rank_of_t1,
        "first_columns": f"{first}, t1.{stay}" if same_visit(times) else first,
        "first_in_time": on_time("global1", f"t1.{one.when}", times),
        "death_in_time": on_time("global1", "t3.died", times),
        "deaths_rows": records.pieces[
            "deaths_in_stays" if same_visit(times) else "deaths_of_persons"
        ],
        "within_death": f"({death} OR {before})",
    }


def _of_person(records: Records, times: Times) -> str:
    """The condition on patient and visit, on the table that an event joins for its person."""
    home = records.home
    whose = f"{home.table}.{home.person} = VALUE(patient_id)"
    visit = stays_of_patient(records, times.get("global1"))
    if visit == stays_of_patient(records, None):
        return whose
    return f"{whose} AND {home.table}.{home.stay} IN ({visit})"


def _charge_time(records: Records) -> str:
    cost = records.events["cost"]
    return f"{cost.table}.{cost.time}"


def _text(form: str, schema: str) -> str:
    text = read_toml(__package__, "forms.toml")[form]
    return text if isinstance(text, str) else text.get(schema, text["other"])
