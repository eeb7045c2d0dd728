"""Turns from a table that a user expects, and that does not exist, to the records there are."""

from collections.abc import Iterator, Mapping
from random import Random

from wardround.authoring.chatqa.asked_records import AskedRecords
from wardround.authoring.chatqa.clinical_sense import treating_drugs
from wardround.authoring.chatqa.turns.drugs import shuffled
from wardround.authoring.chatqa.turns.turn import PATIENTS, Turn, having
from wardround.ehr.query import Query

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
