"""Turns from one drug to another: to the generic, within the class, to another class."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import TypeVar

from wardround.authoring.chatqa.asked_records import AskedRecords
from wardround.authoring.chatqa.spoken_values import SpokenValue
from wardround.authoring.chatqa.turns.turn import (
    PATIENTS,
    Turn,
    containing,
    having,
    having_any,
    of_patient,
)
from wardround.ehr.query import Goal, Query
from wardround.ehr.terms.classes import DrugClass, drug_classes
from wardround.ehr.terms.conditions import conditions
from wardround.ehr.terms.drugs import brands

Item = TypeVar("Item")

_BRANDS = 3  # the best known
_LAST = Goal("value", "drug", column="time", order="DESC")
_FIRST = Goal("value", "drug", column="time", order="ASC")
_NAMES = Goal("names", "drug")


def brand_or_generic(records: AskedRecords, random: Random) -> Iterator[Turn]:
    """A brand that no recorded name has, then the generic."""
    category = "Brand-generic name resolution"
    texts = records.texts.get("drug", ())
    for value in shuffled(records.values.get("drug", ()), random):
        unknown = [b for b in brands(value.name)[:_BRANDS] if not any(b in text for text in texts)]
        for brand in unknown[:1]:
            first, final = containing("drug", brand), having(value)
            if random.random() < 0.5:
                one, two = Query(PATIENTS, (first,)), Query(PATIENTS, (final,))
                orders = Query(Goal("count", "drug"), (final,))
                yield Turn(
                    category, "brand.patients", {"brand": brand}, one, two, (one, orders), "words"
                )
                continue
            slots = {"brand": brand, "patient": random.choice(records.patients(final))}
            goal, other, frame = random.choice(
                ((_LAST, _FIRST, "brand.last"), (_FIRST, _LAST, "brand.first"))
            )
            one, two, three = (
                of_patient(wanted, condition, slots["patient"])
                for wanted, condition in ((goal, first), (goal, final), (other, final))
            )
            yield Turn(category, frame, slots, one, two, (one, three), "stored")


def within_class(records: AskedRecords, random: Random) -> Iterator[Turn]:
    """A drug that a patient did not get, then any other of its class."""
    category = "Within-class drug adaptation"
    for group in shuffled(drug_classes(), random):
        members = _recorded(records, group)
        if not members:
            continue
        patient = random.choice(records.patients(having_any(members)))
        taken = [each for each in members if patient in records.patients(having(each))]
        names = {each.name for each in taken}
        if untaken := [name for name in group.members if name not in names]:
            slots = {"drug": random.choice(untaken), "patient": patient}
            first, final = containing("drug", slots["drug"]), having_any(members)
            one, two = (of_patient(_NAMES, each, patient) for each in (first, final))
            yield Turn(category, "class.members", slots, one, two, (one,), "stored")


def other_class(records: AskedRecords, random: Random) -> Iterator[Turn]:
    """A class of which a patient got no drug, then other classes for the same condition."""
    category = "Cross-class drug substitution"
    known = {each.name: each for each in drug_classes()}
    for condition in shuffled(conditions(), random):
        listed = (*condition.first_line, *condition.alternatives)
        groups = {name: _recorded(records, known[name]) for name in listed if name in known}
        every = [value for values in groups.values() for value in values]
        if len(groups) < 2 or not every:
            continue
        patient = random.choice(records.patients(having_any(every)))
        taken = {name: _taken(records, values, patient) for name, values in groups.items()}
        missing = [name for name in condition.first_line if name in taken and not taken[name]]
        present = [value for values in taken.values() for value in values]
        if not missing or not present:
            continue
        absent = known[random.choice(missing)]
        slots = {"class": absent.name, "condition": condition.names[0], "patient": patient}
        one = of_patient(_NAMES, containing("drug", *absent.members), patient)
        two = of_patient(_NAMES, having_any(every), patient)
        yield Turn(category, "class.other", slots, one, two, (one,), "stored")


def _recorded(records: AskedRecords, group: DrugClass) -> list[SpokenValue]:
    """The recorded drugs of a class."""
    return [each for each in records.values.get("drug", ()) if each.name in group.members]


def _taken(records: AskedRecords, values: Sequence[SpokenValue], patient: str) -> list[SpokenValue]:
    return [each for each in values if patient in records.patients(having(each))]


def shuffled(items: Sequence[Item], random: Random) -> list[Item]:
    """The items in a random order."""
    return random.sample(items, len(items))
