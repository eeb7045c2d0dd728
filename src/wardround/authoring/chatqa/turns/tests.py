"""Turns from a test or procedure that was not done to another one for the same purpose."""

from collections.abc import Iterator
from random import Random

from wardround.authoring.chatqa.asked_records import AskedRecords
from wardround.authoring.chatqa.clinical_sense import assess_the_same, is_above_chance
from wardround.authoring.chatqa.turns.turn import PATIENTS, Turn, containing, having, of_patient
from wardround.ehr.query import Condition, Goal, Query
from wardround.ehr.records import Role
from wardround.ehr.terms.conditions import Condition as Illness
from wardround.ehr.terms.conditions import alternative_procedures, conditions
from wardround.ehr.terms.labs import labs

_LAST = Goal("value", "lab", column="time", order="DESC")
_DONE = Goal("value", "procedure", column="time", order="DESC")


def other_test(records: AskedRecords, random: Random) -> Iterator[Turn]:
    """A test that a patient never had, then the only one that assesses the same."""
    category = "Alternative lab test for condition"
    by_name = {value.name: value for value in records.values.get("lab", ())}
    for lab in random.sample(labs(), len(labs())):
        recorded = by_name.get(lab.name)
        had = records.patients(having(recorded)) if recorded else ()
        others = [by_name[name] for name in lab.alternatives if name in by_name]
        if not all(assess_the_same(lab, value.name) for value in others):
            continue
        by_test = {value.name: set(records.patients(having(value))) for value in others}
        for value in others:
            more = set().union(had, *(who for name, who in by_test.items() if name != value.name))
            if not (only := sorted(by_test[value.name] - more)):
                continue
            slots = {
                "first": records.absent_name(
                    "lab", random.choice((lab.name, *lab.synonyms)), random
                ),
                "assesses": lab.assesses,
                "patient": random.choice(only),
            }
            first = having(recorded) if recorded else containing("lab", lab.name)
            unrelated = next(
                e for n, e in by_name.items() if n not in (lab.name, *lab.alternatives)
            )
            one, two, other = (
                of_patient(_LAST, each, slots["patient"])
                for each in (first, having(value), having(unrelated))
            )
            yield Turn(
                *(category, "test.last", slots, one, two, (one, other), "stored"),
                withheld=(value.name,),
            )


def other_procedure(records: AskedRecords, random: Random) -> Iterator[Turn]:
    """A procedure that nobody had, then another one for the same illness."""
    category = "Alternative procedure for treatment"
    texts = records.texts.get("procedure", ())
    for condition in random.sample(conditions(), len(conditions())):
        names = [name for group in condition.procedures for name in group]
        recorded = {name: tuple(text for text in texts if name in text) for name in names}
        for missing in (name for name in names if not recorded[name]):
            for then in alternative_procedures(missing):
                if (stored := recorded.get(then)) and _is_done_for(records, stored, condition):
                    absent_name = records.absent_name("procedure", missing, random)
                    slots = {"first": absent_name, "then": then, "illness": condition.names[0]}
                    absent, present = containing("procedure", missing), _procedure(stored)
                    wanted = (absent, present, Condition("procedure"))
                    one, two, every = (Query(PATIENTS, (each,)) for each in wanted)
                    wrong = (one, every)
                    yield Turn(category, "procedure.patients", slots, one, two, wrong, "words")
                    patient = random.choice(records.patients(present))
                    slots = {**slots, "patient": patient}
                    one, two = (of_patient(_DONE, each, patient) for each in (absent, present))
                    yield Turn(category, "procedure.last", slots, one, two, (one,), "stored")


def _is_done_for(records: AskedRecords, stored: tuple[str, ...], illness: Illness) -> bool:
    """True if patients have a procedure and an illness together more than by chance."""
    known = [e for e in records.values.get("diagnosis", ()) if e.name == illness.names[0]]
    done = records.patients(_procedure(stored))
    total = records.patient_count
    return any(is_above_chance(done, records.patients(having(each)), total) for each in known)


def _procedure(stored: tuple[str, ...]) -> Condition:
    return Condition("procedure", ((Role("procedure", "name"), stored),))
