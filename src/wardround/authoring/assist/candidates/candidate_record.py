"""The record of the candidates: their tables as FHIR, surveyed one patient at a time."""

import gc
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from zoneinfo import ZoneInfo

from wardround.authoring.assist.candidates.prefilter import Candidate
from wardround.authoring.assist.facts.chosen_rules import (
    blocks_twice,
    enough,
    follows_opposite,
    passes_over_bleeding,
    tempted,
)
from wardround.authoring.assist.facts.discrepancies import (
    Discrepancy,
    planned_discrepancies,
    recorded_discrepancies,
    taken_drugs,
)
from wardround.authoring.assist.facts.findings import UNASKED, Entity, Finding, PlannedCall
from wardround.authoring.assist.facts.kidney_injury import (
    has_kidney_injury,
    in_injury,
    without_injury,
)
from wardround.authoring.assist.facts.met_rules import (
    bound_rules,
    is_done,
    met_rules,
    old_tests,
    ordered_drugs,
    overdosed,
    passing_doses,
    present_diseases,
    questioning,
    score_values,
    seeking,
)
from wardround.authoring.assist.facts.patients import home_drugs, treated_diseases
from wardround.authoring.assist.facts.rules import BoundRule, is_opposite, pairs
from wardround.authoring.assist.facts.scores import TESTS
from wardround.authoring.assist.facts.sources import at
from wardround.authoring.assist.facts.survey import Survey, person_of
from wardround.authoring.assist.planning.feasibility import most_reasons
from wardround.authoring.assist.planning.storylines import linked_rules, related_entities
from wardround.benchmarks.assist.tools.desk import Desk
from wardround.ehr.database import Database
from wardround.ehr.fhir.mimic import HOSPITAL_ZONE, resources
from wardround.ehr.fhir.record import Record
from wardround.ehr.fhir.store.builder import build_record
from wardround.ehr.terms.clinical_rules import ClinicalRule, clinical_rules, tempting_drugs
from wardround.ehr.terms.diagnosis_codes import coded_diagnoses
from wardround.ehr.terms.result_limits import has_fallen, is_critical, is_pressing
from wardround.people.patient.building.build import plain_memory
from wardround.people.patient.memory import PatientMemory

# Days after which a drug that the stay gives explains a result, unless its rule repeats it later.
_SOON = 2
_DAY = 24  # hours
_CREATININE, _HEMOGLOBIN = "creatinine", "hemoglobin"


@dataclass(frozen=True)
class SurveyedPatient:
    """The contents of a patient's record and note.

    Attributes:
        survey: the record, asked through the tools at the time of the session.
        findings: the findings of the record.
        met: the rules whose test it meets, and those about two drugs.
        rules: the rules that hold for its patient by the chart.
        memory: the patient's memory after the stay.
        courses: the newest values of each test in the order of time.
        diagnoses: the diagnoses of the stay that rules know.
        tempting: the drugs that the record suggests and does not order.
        is_injured: the creatinine shows acute kidney injury.
        doubtful: the drugs that were given too often or not for days, and those of two kinds that
            nobody takes together. A physician would speak of that first, so no rule is about them.
    """

    survey: Survey
    findings: Sequence[Finding]
    met: Sequence[ClinicalRule]
    rules: Sequence[BoundRule]
    memory: PatientMemory
    courses: Mapping[str, Sequence[float]] = field(default_factory=dict)
    diagnoses: Collection[str] = ()
    tempting: Collection[str] = ()
    is_injured: bool = False
    doubtful: frozenset[str] = frozenset()

    @cached_property
    def latest(self) -> dict[str, float]:
        """The latest value of each test."""
        return {test: values[-1] for test, values in self.courses.items() if values}

    @cached_property
    def stories(self) -> list[list[BoundRule]]:
        """The rules that a session can go on to from each rule."""
        return [linked_rules(bound, self.rules) for bound in self.rules]

    @cached_property
    def discrepancies(self) -> list[Discrepancy]:
        """The ways in which a made patient may differ from the chart."""
        every = planned_discrepancies(self.memory, self.findings, self.met, self.diagnoses)
        planned = [each for each in every if each.drug not in self.doubtful]
        planned = [e for e in planned if not self.survey.is_allergic_to(e.rule.beside)]
        planned = [e for e in planned if not e.is_untaken or self._shows_home_use(e.rule)]
        if not self.is_injured:
            return planned
        rules = (next(in_injury([each.rule]), None) for each in planned)
        return [replace(e, rule=rule) for e, rule in zip(planned, rules, strict=True) if rule]

    @cached_property
    def taken_drugs(self) -> list[Discrepancy]:
        """The drugs that a made patient takes although a result puts them in doubt."""
        every = taken_drugs(self.memory, self.findings, self.met, self.diagnoses)
        return [e for e in every if e.drug not in self.doubtful and self._shows_home_use(e.rule)]

    def _shows_home_use(self, bound: BoundRule) -> bool:
        """True if a result is not of what the stay gives: it came before that or soon after."""
        ages = (self.survey.ages().get(test, 0.0) for test in bound.tests)
        since = self.survey.hours_given(bound.drug) - max(ages, default=0.0)
        return since <= max(_SOON, bound.rule.days) * _DAY

    @cached_property
    def reasons(self) -> int:
        """The most turns of reasoning that a storyline of the patient can have."""
        recorded = recorded_discrepancies(self.memory, self.findings, self.met, self.diagnoses)
        storied = {each.rule for each in (*self.discrepancies, *self.taken_drugs, *recorded)}
        return most_reasons(self.rules, storied, self.findings)

    @cached_property
    def critical(self) -> frozenset[str]:
        """The tests whose latest result is critical."""
        return frozenset(test for test, value in self.latest.items() if is_critical(test, value))

    @cached_property
    def pressing(self) -> frozenset[str]:
        """The tests whose latest result is near a limit, has worsened or fallen, or calls for more.

        It calls for more if a rule is about it under a drug of the patient.
        """
        near = (test for test, values in self.courses.items() if is_pressing(test, values))
        is_fallen = has_fallen(_HEMOGLOBIN, self.survey.timed(_HEMOGLOBIN))
        of_drugs = (bound.rule.test for bound in self.rules if bound.drug and not bound.is_score)
        return frozenset((*near, *of_drugs, *([_HEMOGLOBIN] if is_fallen else ()))) - {""}

    @property
    def has_critical_rule(self) -> bool:
        """True if a rule of the patient is about a critical result."""
        return any(not self.critical.isdisjoint(bound.tests) for bound in self.rules)


@dataclass
class CandidateRecord:
    """The candidates' FHIR record and database; each patient is surveyed once at a time.

    Attributes:
        chart: the FHIR record.
        database: the tables with the notes.
    """

    chart: Record
    database: Database
    _surveyed: dict[tuple[int, datetime], SurveyedPatient] = field(default_factory=dict)
    _memories: dict[int, PatientMemory] = field(default_factory=dict)

    def patient(self, candidate: Candidate, time: datetime) -> SurveyedPatient:
        """The patient of a candidate at a time in the record's local time."""
        key = candidate.subject_id, time
        if key not in self._surveyed:
            self._surveyed[key] = self._survey(candidate, time)
            gc.freeze()  # surveys stay; the collector would look at all of them again and again
        return self._surveyed[key]

    def _survey(self, candidate: Candidate, time: datetime) -> SurveyedPatient:
        subject, stay = candidate.subject_id, candidate.hadm_id
        clock = time.replace(tzinfo=ZoneInfo(HOSPITAL_ZONE))
        survey = Survey(Desk(self.chart.workspace(clock), subject, stay, clock))
        if subject not in self._memories:
            self._memories[subject] = plain_memory(self.database, subject, stay).memory
        memory = self._memories[subject]
        courses = survey.courses()
        findings = survey.findings(_storied(survey, memory, courses))
        tests = {each.entity.name for each in findings if each.entity.kind == "test"}
        values = {test: [value for value, _ in survey.values(test)] for test in sorted(tests)}
        age, _ = person_of(survey)
        old = old_tests(survey.ages())
        met = met_rules(values | _scores(survey, findings), old, int(age.value))
        diagnoses = coded_diagnoses(candidate.codes)
        ordered, treated = ordered_drugs(findings), treated_diseases(memory)
        bound = bound_rules(ordered, met, diagnoses, treated)
        rules = [e for e in bound if not is_opposite(e, courses) and not is_done(e, courses)]
        rules = overdosed(established(rules, survey, home_drugs(memory)), findings)
        rules = passing_doses(rules, findings)
        doubtful = frozenset(doubtful_drugs(survey, {*ordered, *home_drugs(memory)}))
        rules = [each for each in rules if doubtful.isdisjoint((each.drug, each.beside))]
        rules = supported(rules, survey)
        rules = questioning(rules, present_diseases(met, diagnoses, treated))
        rules = seeking(rules, findings, courses)
        tempting = tempting_drugs(survey.ordered_drugs(), candidate.codes)
        rules = [each for each in tempted(enough(rules, courses), tempting) if each.tempting]
        asked = [each for each in findings if each.kind != UNASKED]
        return SurveyedPatient(
            survey, asked, met, rules, memory, courses, diagnoses, tempting,
            has_kidney_injury(survey.timed(_CREATININE)), doubtful,
        )  # fmt: skip


def supported(rules: Sequence[BoundRule], survey: Survey) -> list[BoundRule]:
    """The rules that the recent results of a record support.

    Rules about the risk of acute kidney injury say that it has begun if the results show one.
    """
    creatinine, hemoglobin = survey.timed(_CREATININE), survey.timed(_HEMOGLOBIN)
    left = [
        each
        for each in rules
        if not follows_opposite(each, survey.timed(each.observed))
        and not passes_over_bleeding(each, hemoglobin)
    ]
    is_injured = has_kidney_injury(creatinine)
    return list(in_injury(left)) if is_injured else without_injury(left, creatinine)


def doubtful_drugs(survey: Survey, drugs: Collection[str]) -> Iterator[str]:
    """The drugs, ordered or of home, that are given or combined as nobody would intend."""
    for drug in drugs:
        if survey.is_given_too_often(drug) or survey.is_lapsed(drug) or blocks_twice(drug, drugs):
            yield drug


def established(
    rules: Sequence[BoundRule], survey: Survey, home: Collection[str] = ()
) -> list[BoundRule]:
    """The rules whose drug was given in the stay for as long as they ask for, or is taken at home.

    Args:
        rules: the rules.
        survey: the record.
        home: the drugs that the patient takes at home.
    """
    timed = (each for each in rules if each.rule.given)
    short = [each for each in timed if survey.hours_given(each.drug) < each.rule.given]
    return [
        replace(each, by_home_use=each in short)
        for each in rules
        if each not in short or each.drug in home
    ]


def _storied(
    survey: Survey, memory: PatientMemory, courses: Mapping[str, Sequence[float]]
) -> list[Entity]:
    """The tests and drugs that a session can be about, by the newest results and all drugs."""
    drugs = survey.ordered_drugs()
    recorded = {Entity("test", name) for name in courses}
    recorded |= {Entity("drug", name) for name in drugs}
    patient_drugs = list(dict.fromkeys((*drugs, *home_drugs(memory))))
    entities = {
        Entity("test", name)
        for name, values in courses.items()
        if values and is_critical(name, values[-1])
    }
    for rule in clinical_rules():
        is_met = not rule.test or rule.test in TESTS or rule.is_met(courses.get(rule.test, ()))
        for drug, beside in pairs(rule, patient_drugs) if is_met else ():
            bound = BoundRule(rule, drug, beside)
            named = (bound.object, *rule.avoided)
            entities |= {*bound.entities, *related_entities(bound, recorded)}
            entities |= {Entity("drug", name) for name in named if name}
    return sorted(entities & recorded, key=lambda entity: (entity.kind, entity.name))


def _scores(survey: Survey, findings: Sequence[Finding]) -> dict[str, list[float]]:
    """The scores of a patient at the session's clock."""
    age, sex = person_of(survey)
    conditions = survey.result(PlannedCall("Condition.search", {})) or {"entry": []}
    coded = (str(at(each, "resource.code.coding.0.code")) for each in conditions["entry"])
    codes = [code.replace(".", "") for code in coded]
    return score_values(findings, int(age.value), str(sex.value), codes)


def converted(path: Path, location: str, candidates: Iterable[Candidate]) -> Record:
    """The FHIR record of the candidates at a path, made if it is missing."""
    if not path.exists():
        patients = [each.subject_id for each in candidates]
        build_record(path, resources(location, patients=patients), source=location)
    return Record.open(path)
