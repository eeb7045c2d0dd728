"""Turns between illnesses: to another complication, and to a part of several criteria."""

from collections.abc import Iterator
from random import Random

from wardround.authoring.chatqa.asked_records import AskedRecords
from wardround.authoring.chatqa.spoken_values import SpokenValue
from wardround.authoring.chatqa.turns.turn import PATIENTS, Turn, containing, having
from wardround.ehr.query import Query
from wardround.ehr.terms.classes import classes_for
from wardround.ehr.terms.conditions import condition_named, conditions
from wardround.ehr.terms.diagnoses import formal_names_of_term

_FEW, _MANY = 2, 20  # patients whom the kept criteria find


def related_condition(records: AskedRecords, random: Random) -> Iterator[Turn]:
    """A complication that no patient with an illness has, then another one."""
    category = "Clinically related condition lookup"
    by_name = {value.name: value for value in records.values.get("diagnosis", ())}
    for condition in random.sample(conditions(), len(conditions())):
        illness = by_name.get(condition.names[0])
        present = [by_name[name] for name in condition.complications if name in by_name]
        if illness is None or not present:
            continue
        then = random.choice(present)
        others = [name for name in condition.complications if name != then.name]
        for missing in random.sample(others, len(others)):
            slots = {
                "illness": illness.spoken(random),
                "first": missing,
                "then": then.spoken(random),
            }
            absent = containing("diagnosis", *(formal_names_of_term(missing) or (missing,)))
            one, two = (Query(PATIENTS, (having(illness), e)) for e in (absent, having(then)))
            wrong = (one, *(Query(PATIENTS, (having(each),)) for each in (illness, then)))
            yield Turn(category, "related.complication", slots, one, two, wrong, "words")


def compound_criteria(records: AskedRecords, random: Random) -> Iterator[Turn]:
    """Two illnesses and a treatment of one that nobody has together, then the illnesses alone."""
    category = "Compound criteria with fallback"
    illnesses = records.values.get("diagnosis", ())
    for one in random.sample(illnesses, len(illnesses)):
        drugs = _treatments(records, one)
        for two in random.sample(illnesses, min(len(illnesses), 8)) if drugs else ():
            if two.name == one.name or not _is_some(records, one, two):
                continue
            drug = random.choice(drugs)
            slots = {
                "one": one.spoken(random),
                "two": two.spoken(random),
                "drug": drug.spoken(random),
            }
            kept = (having(one), having(two))
            whole, part = Query(PATIENTS, (*kept, having(drug))), Query(PATIENTS, kept)
            single = tuple(Query(PATIENTS, (each,)) for each in kept)
            yield Turn(category, "compound.treated", slots, whole, part, single, "words")


def _treatments(records: AskedRecords, illness: SpokenValue) -> list[SpokenValue]:
    """The recorded drugs of the classes that treat an illness."""
    if condition_named(illness.name) is None:
        return []
    members = {name for group in classes_for(illness.name) for name in group.members}
    return [each for each in records.values.get("drug", ()) if each.name in members]


def _is_some(records: AskedRecords, one: SpokenValue, two: SpokenValue) -> bool:
    """True if a few patients have both."""
    both = set(records.patients(having(one))) & set(records.patients(having(two)))
    return _FEW <= len(both) <= _MANY
