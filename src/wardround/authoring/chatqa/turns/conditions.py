"""Turns between illnesses: to another complication, to fewer criteria, to recorded diagnoses."""

from collections.abc import Iterator, Mapping
from random import Random

from wardround.authoring.chatqa.asked_records import AskedRecords
from wardround.authoring.chatqa.clinical_sense import are_related, meet, treating_drugs
from wardround.authoring.chatqa.turns.drugs import shuffled
from wardround.authoring.chatqa.turns.turn import PATIENTS, Turn, containing, having
from wardround.ehr.query import Query
from wardround.ehr.terms.conditions import conditions
from wardround.ehr.terms.diagnoses import formal_names_of_term

_FOUND = range(2, 31)  # patients whom the kept criteria find
# Registers that hospitals have, and the illnesses of the terms that stand in them.
_REGISTERS: Mapping[str, tuple[str, ...]] = {
    "cancer": ("breast cancer", "lung cancer", "prostate cancer", "colon cancer", "leukemia"),
    "stroke": ("stroke",),
    "diabetes": ("type 2 diabetes", "type 1 diabetes", "diabetes mellitus"),
    "dialysis": ("end stage renal disease", "chronic kidney disease"),
    "heart failure": ("heart failure",),
    "COPD": ("chronic obstructive pulmonary disease",),
    "sepsis": ("sepsis",),
}


def related_condition(records: AskedRecords, random: Random) -> Iterator[Turn]:
    """A complication that no patient with an illness has, then another one."""
    category = "Clinically related condition lookup"
    by_name = {value.name: value for value in records.values.get("diagnosis", ())}
    for condition in random.sample(conditions(), len(conditions())):
        illness = by_name.get(condition.names[0])
        if illness is None:
            continue
        recorded = [by_name[name] for name in condition.complications if name in by_name]
        present = [each for each in recorded if meet(illness, each, len(records.stays))]
        if not present:
            continue
        then = random.choice(present)
        others = [name for name in condition.complications if name != then.name]
        for missing in random.sample(others, len(others)):
            slots = {
                "illness": illness.spoken(random),
                "first": records.absent_name("diagnosis", missing, random),
                "then": then.spoken(random),
            }
            absent = containing("diagnosis", *(formal_names_of_term(missing) or (missing,)))
            one, two = (Query(PATIENTS, (having(illness), e)) for e in (absent, having(then)))
            another = (Query(PATIENTS, (having(illness), having(e))) for e in recorded if e != then)
            single = (Query(PATIENTS, (having(each),)) for each in (illness, then))
            wrong = (one, *single, *another)
            yield Turn(category, "related.complication", slots, one, two, wrong, "words")


def compound_criteria(records: AskedRecords, random: Random) -> Iterator[Turn]:
    """Two illnesses and a treatment of one that nobody has together, then the illnesses alone."""
    category = "Compound criteria with fallback"
    illnesses, stays = records.values.get("diagnosis", ()), len(records.stays)
    pairs = [
        (a, b) for a in illnesses for b in illnesses if a is not b and are_related(a, b, stays)
    ]
    for one, two in random.sample(pairs, len(pairs)):
        drugs = treating_drugs(records.values.get("drug", ()), one, stays)
        for drug in random.sample(drugs, len(drugs)):
            slots = {
                "one": one.spoken(random),
                "two": two.spoken(random),
                "drug": drug.spoken(random),
            }
            both = (having(one), having(two))
            whole, part = Query(PATIENTS, (*both, having(drug))), Query(PATIENTS, both)
            single = tuple(Query(PATIENTS, (each,)) for each in both)
            yield Turn(category, "compound.treated", slots, whole, part, single, "words", _FOUND)


def missing_table(records: AskedRecords, random: Random) -> Iterator[Turn]:
    """A register that the database has no table for, then its diagnoses."""
    category = "Schema fallback handling"
    tables = " ".join(records.database.tables()).lower()
    illnesses = {value.name: value for value in records.values.get("diagnosis", ())}
    for register, names in random.sample(sorted(_REGISTERS.items()), len(_REGISTERS)):
        if register.lower() in tables or "regist" in tables:
            continue
        for illness in (illnesses[name] for name in names if name in illnesses):
            drugs = records.values.get("drug", ())
            for drug in shuffled(treating_drugs(drugs, illness, len(records.stays)), random):
                slots = {
                    "register": register,
                    "illness": illness.spoken(random),
                    "drug": drug.spoken(random),
                }
                both = Query(PATIENTS, (having(illness), having(drug)))
                single = tuple(Query(PATIENTS, (having(each),)) for each in (illness, drug))
                yield Turn(category, "table.register", slots, None, both, single, "words")
