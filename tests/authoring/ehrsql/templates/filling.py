"""Legal slots for a template, with values of a database or, if it is empty, constants."""

import random
from collections.abc import Mapping

from sqlglot import parse_one

from wardround.authoring.ehrsql.templates.layout_tables import load_records
from wardround.authoring.ehrsql.templates.question_text import Slots, Value
from wardround.authoring.ehrsql.templates.records import Column, Event, Records
from wardround.authoring.ehrsql.templates.slot_choices import operations_for, time_choices
from wardround.authoring.ehrsql.templates.templates import QuestionTemplate
from wardround.ehr.database import Database
from wardround.ehr.schema import load_renaming
from wardround.ehr.schema.renamed_query import renamed
from wardround.ehr.times import TimeFilter, TimeTag, TimeTemplate, value_range
from wardround.ehr.times.model import Ago, Following

NOW = "2100-12-31 23:59:00"
_NUMBERS = {"patient_id", "ward_id", "lab_value", "vital_value"}


def some_slots(
    template: QuestionTemplate, records: Records, chance: random.Random, values: "Values | None"
) -> Slots:
    operations = {
        slot: chance.choice(operations_for(slot, records)).name for slot in template.operations
    }
    filled = {slot: _value(slot, records, chance, values) for slot in template.values}
    return Slots(
        filled, operations, some_times(chance.choice(time_choices(template.times)), chance)
    )


def some_times(chosen: Mapping[str, TimeTemplate], chance: random.Random) -> TimeTag:
    filters = {slot: _filter(template, chance) for slot, template in chosen.items()}
    if chosen.get("global1") is chosen.get("global2") and "global1" in filters:
        filters["global2"] = filters["global1"]
    return TimeTag(**filters)


def _filter(template: TimeTemplate, chance: random.Random) -> TimeFilter:
    counted = isinstance(template.meaning, Ago | Following)
    within = {"year": (2098, 2100), "day": (1, 28)}

    def number(name: str) -> int:
        allowed = value_range(template, name)
        low, high = (1, 3) if counted else within.get(name, (allowed[0], allowed[-1]))
        return chance.randint(low, high)

    return TimeFilter(template, {name: number(name) for name in template.values})


class Values:
    """The most common values of a database for each slot."""

    def __init__(self, database: Database, schema: str) -> None:
        self._database, self._records = database, load_records(schema)
        self._names = load_renaming(schema)
        self._by_slot: dict[str, list[Value]] = {}

    def of(self, slot: str) -> list[Value]:
        if slot not in self._by_slot:
            tree = parse_one(self._query(slot), dialect="sqlite")
            sql = (renamed(tree, self._names) if self._names else tree).sql("sqlite")
            cells = [row[0] for row in self._database.execute(sql).rows]
            self._by_slot[slot] = [cell for cell in cells if isinstance(cell, str | int | float)]
        return self._by_slot[slot]

    def _query(self, slot: str) -> str:
        records = self._records
        if slot == "patient_id":
            return _distinct(records.stays.table, records.stays.parent)
        if slot == "admission_route":
            return _distinct(records.stays.table, records.pieces["admission_route"])
        if slot == "abbreviation":
            name = records.events["diagnosis"].label
            return f"SELECT {name} FROM {name.table} LIMIT 20" if name else ""
        if slot == "drug_route":
            return _commonest(records.events["drug"], records.events["drug"].columns["route"])
        if slot == "lab_value":
            return _commonest(records.events["lab"], records.events["lab"].columns["value"])
        event = next(event for event in records.events.values() if event.slot == slot)
        if not (words := event.dictionary):
            return _commonest(event, event.codes[0])
        coded = f"{words.codes[0]} IN ({_commonest(event, event.codes[0])})"
        return f"SELECT {words.label} FROM {words.label.table} WHERE {coded} ORDER BY {words.label}"


def _distinct(table: str, column: Column | str) -> str:
    return f"SELECT DISTINCT {column} FROM {table} ORDER BY {column}"


def _commonest(event: Event, column: Column | None) -> str:
    rows = f"FROM {event.table} WHERE {column} IS NOT NULL AND {event.where or 'TRUE'}"
    return f"SELECT {column} {rows} GROUP BY {column} ORDER BY COUNT(*) DESC, {column} LIMIT 20"


def _value(slot: str, records: Records, chance: random.Random, values: Values | None) -> Value:
    if slot == "vital_name":
        return chance.choice(list(records.vital_signs))
    if slot == "vital_value":
        return 90.0
    if slot == "gender":
        return chance.choice([records.pieces["female"], records.pieces["male"]])
    known = values.of(slot.rstrip("123")) if values else []
    if known:
        return chance.choice(known)
    number = slot in _NUMBERS and not (slot == "patient_id" and "eicu" in records.schema)
    return 1 if number else "o'neill's"
