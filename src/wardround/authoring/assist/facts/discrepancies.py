"""Discrepancies that only the patient knows, and the rules that depend on them.

On a made hospital a discrepancy is planned and written into the patient's memory. On a real record
a memory has it only with a quote from the note.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, cast

from wardround.authoring.assist.facts.findings import Finding
from wardround.authoring.assist.facts.met_rules import (
    bound_rules,
    gives_held,
    ordered_drugs,
    present_diseases,
)
from wardround.authoring.assist.facts.patients import BOUGHT, home_drugs, treated_diseases
from wardround.authoring.assist.facts.rules import BoundRule
from wardround.authoring.assist.facts.told_words import told_lines, told_words
from wardround.ehr.terms.chinese import chinese
from wardround.ehr.terms.clinical_rules import ClinicalRule, held_groups, is_of, is_of_any
from wardround.people.patient.memory import Medication, PatientMemory

State: TypeAlias = Literal["never_filled", "ran_out", "self_discontinued", "takes_other", "good"]
_STATUS: Mapping[State, Literal["not_taking", "ran_out", "taking"]] = {
    "never_filled": "not_taking",
    "ran_out": "ran_out",
    "self_discontinued": "not_taking",
    "takes_other": "taking",
    "good": "taking",
}
_UNTAKEN: tuple[State, ...] = ("never_filled", "ran_out", "self_discontinued")
# Drugs that are sold without a prescription.
SOLD = (
    "ibuprofen", "naproxen", "aspirin", "omeprazole", "calcium carbonate", "ferrous sulfate",
    "potassium chloride",
)  # fmt: skip
# Drugs that start at their maintenance dose. Other drugs need a titration, so a patient who never
# took one does not get a dose at its end.
_ONE_DOSE = ("statin", "iron preparation", "potassium chloride")
_GRAVEST = "bleeding"
# Reasons why a patient runs out of a drug without giving it up.
_OUT_OF_REACH = ("it cost too much", "the pharmacy was too far away")


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """A difference between chart and patient about a home drug.

    Attributes:
        drug: the generic name of the home drug.
        state: what the patient does.
        rule: the rule that holds because of it.
        reason: why the patient does not take it, in the patient's words; "" if it is taken.
    """

    drug: str
    state: State
    rule: BoundRule
    reason: str = ""

    @property
    def story(self) -> str:
        """The drug that the patient bought, or else what the patient does."""
        return self.rule.beside if self.state == "takes_other" else self.state

    @property
    def is_untaken(self) -> bool:
        """True if the patient does not take the drug."""
        return self.state in _UNTAKEN


def planned_discrepancies(
    memory: PatientMemory,
    findings: Sequence[Finding],
    met: Sequence[ClinicalRule],
    diagnoses: Collection[str] = (),
) -> list[Discrepancy]:
    """The discrepancies that would change what is right for a patient.

    Args:
        memory: the memory, in which chart and patient agree.
        findings: the findings of the record.
        met: the rules whose test the record meets, and those about two drugs.
        diagnoses: the diagnoses of the stay that rules know.
    """
    agreed = {each.generic for each in memory.medications if each.adherence in ("good", "unknown")}
    drugs = [drug for drug in home_drugs(memory) if drug in agreed]
    untaken = [
        Discrepancy(drug, state, rule, reason)
        for drug, rule in _untaken(memory, drugs, findings, met, diagnoses)
        for state in _UNTAKEN
        if state != "never_filled" or is_of_any(drug, _ONE_DOSE)
        for reason in (_OUT_OF_REACH if state == "ran_out" else told_lines("reason"))
    ]
    patient_drugs = (*ordered_drugs(findings), *(each.generic for each in memory.medications))
    held = held_groups(met, diagnoses)
    others = [
        Discrepancy(drug, "takes_other", bound)
        for bought in SOLD
        for rule in _rules_beside(bought, patient_drugs, met)
        if rule.risk not in diagnoses and rule.avoided[0] not in ordered_drugs(findings)
        for drug in drugs
        if is_of(drug, rule.drug)
        for bound in [BoundRule(rule, drug, bought, is_told=True)]
        if not gives_held(bound, held)
    ]
    return [*untaken, *_graver(others)]


def _rules_beside(
    bought: str, patient_drugs: Sequence[str], met: Sequence[ClinicalRule]
) -> Iterator[ClinicalRule]:
    """The rules against a bought drug beside another, for a patient who has none of its kind."""
    for rule in (each for each in met if each.object == "beside"):
        is_new = not any(is_of(each, rule.beside) for each in patient_drugs)
        if is_new and is_of(bought, rule.beside) and bought != rule.avoided[0]:
            yield rule


def _graver(others: Sequence[Discrepancy]) -> list[Discrepancy]:
    """The discrepancies about each bought drug, only those with bleeding if it has any.

    Bleeding is the graver danger, and the one that an answer has to name.
    """
    bleeding = {each.story for each in others if each.rule.rule.risk == _GRAVEST}
    return [
        each for each in others if each.story not in bleeding or each.rule.rule.risk == _GRAVEST
    ]


def taken_drugs(
    memory: PatientMemory,
    findings: Sequence[Finding],
    met: Sequence[ClinicalRule],
    diagnoses: Collection[str] = (),
) -> list[Discrepancy]:
    """The home drugs that a result puts in doubt, and that the patient takes all the same."""
    agreed = {each.generic for each in memory.medications if each.adherence in ("good", "unknown")}
    drugs = [drug for drug in home_drugs(memory) if drug in agreed]
    return [
        Discrepancy(drug, "good", replace(rule, is_taken=True))
        for drug, rule in _untaken(memory, drugs, findings, met, diagnoses)
    ]


def recorded_discrepancies(
    memory: PatientMemory,
    findings: Sequence[Finding],
    met: Sequence[ClinicalRule],
    diagnoses: Collection[str] = (),
) -> list[Discrepancy]:
    """The discrepancies that a memory has with a quote from the note."""
    states = {
        each.generic: each.adherence
        for each in memory.medications
        if each.adherence in _UNTAKEN and each.adherence_evidence
    }
    drugs = [drug for drug in home_drugs(memory) if drug in states]
    return [
        Discrepancy(drug, cast("State", states[drug]), rule)
        for drug, rule in _untaken(memory, drugs, findings, met, diagnoses)
    ]


def with_discrepancy(memory: PatientMemory, discrepancy: Discrepancy) -> PatientMemory:
    """A memory in which the patient does what a planned discrepancy says."""
    medications = [
        _changed(each, discrepancy) if each.generic == discrepancy.drug else each
        for each in memory.medications
    ]
    if discrepancy.state == "takes_other":
        medications.append(_bought(discrepancy.rule.beside))
    return memory.model_copy(update={"medications": tuple(medications)})


def _untaken(
    memory: PatientMemory,
    drugs: Sequence[str],
    findings: Sequence[Finding],
    met: Sequence[ClinicalRule],
    diagnoses: Collection[str],
) -> Iterator[tuple[str, BoundRule]]:
    """The rules about home drugs that are not taken.

    None if another rule is against the drug, or if a disease explains the result as well.
    """
    ordered, held = ordered_drugs(findings), held_groups(met, diagnoses)
    present = present_diseases(met, diagnoses, treated_diseases(memory))
    against = {bound.opposed for bound in bound_rules(ordered, met)}
    resupplies = (each for each in met if each.action == "resupply")
    new = (each for each in resupplies if each.risk not in diagnoses)
    for rule in (each for each in new if present.isdisjoint(each.unless)):
        for drug in (each for each in drugs if is_of(each, rule.drug)):
            bound = BoundRule(rule, drug, is_told=True)
            is_possible = drug not in against and rule.avoided[0] not in ordered
            if is_possible and not gives_held(bound, held):
                yield drug, bound


def _changed(medication: Medication, discrepancy: Discrepancy) -> Medication:
    state = discrepancy.state
    takes_other = state == "takes_other"
    is_as_charted = takes_other or state == "good"
    zh = {name: each for name, each in medication.zh.items() if name != "patient_explanation"}
    reason = told_words(discrepancy.reason, "reason", "zh")
    return medication.model_copy(
        update={
            "adherence": "good" if is_as_charted else state,
            "adherence_evidence": "",
            "current_status": _STATUS[state],
            "critical_flag": state != "good",
            "patient_explanation": "",
            "taken_with": discrepancy.rule.beside if takes_other else "",
            "untaken_because": discrepancy.reason,
            "zh": zh | ({"untaken_because": reason} if reason else {}),
        }
    )


def _bought(drug: str) -> Medication:
    return Medication(
        drug=drug.capitalize(),
        drug_patient_term=drug,
        indication=BOUGHT,
        adherence="good",
        current_status="taking",
        critical_flag=True,
        zh={"drug_patient_term": chinese(drug, "drug") or drug},
    )
