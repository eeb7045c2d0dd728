"""Turns from one drug to another: to the generic, within the class, to another class."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import TypeVar

from wardround.authoring.chatqa.asked_records import AskedRecords
from wardround.authoring.chatqa.clinical_sense import (
    disputed_treatments,
    meet,
    share_stem,
    treatments,
)
from wardround.authoring.chatqa.spoken_values import SpokenValue
from wardround.authoring.chatqa.turns.turn import (
    PATIENTS,
    Turn,
    containing,
    having,
    having_any,
    of_patient,
)
from wardround.ehr.query import Condition, Goal, Query
from wardround.ehr.terms.classes import DrugClass, drug_classes
from wardround.ehr.terms.conditions import Condition as Illness
from wardround.ehr.terms.conditions import conditions
from wardround.ehr.terms.drugs import agreed_brands

Item = TypeVar("Item")

_BRANDS = 3  # the best known
_PATIENTS = 5  # with a condition, of whom one may lack a class of drugs
_LAST = Goal("value", "drug", column="time", order="DESC")
_FIRST = Goal("value", "drug", column="time", order="ASC")
_NAMES = Goal("names", "drug")


def brand_or_generic(records: AskedRecords, random: Random) -> Iterator[Turn]:
    """A brand that no recorded name has, then the generic."""
    category = "Brand-generic name resolution"
    texts = records.texts.get("drug", ())
    for value in shuffled(records.values.get("drug", ()), random):
        unknown = [
            b for b in agreed_brands(value.name)[:_BRANDS] if not any(b in text for text in texts)
        ]
        for brand in unknown[:1]:
            first, final = containing("drug", brand), having(value)
            absent_name = records.absent_name("drug", brand, random)
            if random.random() < 0.5:
                one, two = Query(PATIENTS, (first,)), Query(PATIENTS, (final,))
                orders = Query(Goal("count", "drug"), (final,))
                slots, wrong = {"brand": absent_name}, (one, orders)
                yield Turn(
                    *(category, "brand.patients", slots, one, two, wrong, "words"),
                    withheld=(value.name,),
                )
                continue
            slots = {"brand": absent_name, "patient": random.choice(records.patients(final))}
            goal, other, frame = random.choice(
                ((_LAST, _FIRST, "brand.last"), (_FIRST, _LAST, "brand.first"))
            )
            one, two, three = (
                of_patient(wanted, condition, slots["patient"])
                for wanted, condition in ((goal, first), (goal, final), (other, final))
            )
            yield Turn(
                *(category, frame, slots, one, two, (one, three), "stored"), withheld=(value.name,)
            )


def within_class(records: AskedRecords, random: Random) -> Iterator[Turn]:
    """A drug that a patient did not get, then any other of its class."""
    category = "Within-class drug adaptation"
    for group in shuffled(drug_classes(), random):
        members = _recorded(records, group)
        if not members:
            continue
        patient = random.choice(records.patients(having_any(members)))
        drugs_taken = [each for each in members if patient in records.patients(having(each))]
        names = {each.name for each in drugs_taken}
        untaken = [
            name
            for name in group.members
            if name not in names and all(share_stem(name, each) for each in names)
        ]
        if untaken:
            absent = random.choice(untaken)
            slots = {"drug": records.absent_name("drug", absent, random), "patient": patient}
            first, final = containing("drug", absent), having_any(members)
            one, two, every = (
                of_patient(_NAMES, each, patient) for each in (first, final, Condition("drug"))
            )
            yield Turn(
                *(category, "class.members", slots, one, two, (one, every), "stored"),
                withheld=(group.name,),
            )


def other_class(records: AskedRecords, random: Random) -> Iterator[Turn]:
    """A class of which a patient got no drug, then other classes for the patient's condition."""
    category = "Cross-class drug substitution"
    by_name = {value.name: value for value in records.values.get("diagnosis", ())}
    for condition in shuffled(conditions(), random):
        groups = {group: _recorded(records, group) for group in treatments(condition)}
        every = [value for values in groups.values() for value in values]
        illness = by_name.get(condition.names[0])
        first_line = condition.first_line
        if illness is None or len(groups) < 2 or not every:
            continue
        treated = set(records.patients(having_any(every)))
        patients = [each for each in records.patients(having(illness)) if each in treated]
        for patient in shuffled(patients, random)[:_PATIENTS]:
            drugs_taken = {
                group: _drugs_taken(records, values, patient) for group, values in groups.items()
            }
            missing = [g for g, drugs in drugs_taken.items() if not drugs and g.name in first_line]
            given = [value for values in drugs_taken.values() for value in values]
            is_usual = all(meet(each, illness, len(records.stays)) for each in given)
            if not missing or not is_usual or _is_disputed(records, condition, every, patient):
                continue
            absent = random.choice(missing)
            slots = {"class": absent.name, "condition": condition.names[0], "patient": patient}
            one = of_patient(_NAMES, containing("drug", *absent.members), patient)
            two = of_patient(_NAMES, having_any(every), patient)
            every_drug = of_patient(_NAMES, Condition("drug"), patient)
            others = tuple(group.name for group, drugs in drugs_taken.items() if drugs)
            yield Turn(
                *(category, "class.other", slots, one, two, (one, every_drug), "stored"),
                withheld=others,
            )


def _is_disputed(
    records: AskedRecords, condition: Illness, agreed: Sequence[SpokenValue], patient: str
) -> bool:
    """True if a patient got a drug for a condition that only one of the sources names for it."""
    names, known = disputed_treatments(condition), {each.name for each in agreed}
    groups = [group for group in drug_classes() if group.name in names]
    values = [value for group in groups for value in _recorded(records, group)]
    return bool(_drugs_taken(records, [each for each in values if each.name not in known], patient))


def _recorded(records: AskedRecords, group: DrugClass) -> list[SpokenValue]:
    """The recorded drugs of a class."""
    return [each for each in records.values.get("drug", ()) if each.name in group.members]


def _drugs_taken(
    records: AskedRecords, values: Sequence[SpokenValue], patient: str
) -> list[SpokenValue]:
    return [each for each in values if patient in records.patients(having(each))]


def shuffled(items: Sequence[Item], random: Random) -> list[Item]:
    """The items in a random order."""
    return random.sample(items, len(items))
