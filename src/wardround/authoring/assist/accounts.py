"""The patients' accounts: what they tell in a session, and where it differs from their chart."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TypeAlias

from wardround.authoring.assist.candidates.candidate_record import SurveyedPatient
from wardround.authoring.assist.facts.chosen_rules import follows_opposite, spares_first
from wardround.authoring.assist.facts.discrepancies import (
    SOLD,
    Discrepancy,
    recorded_discrepancies,
    with_discrepancy,
)
from wardround.authoring.assist.facts.findings import Finding
from wardround.authoring.assist.facts.patients import (
    ADHERENCE,
    patient_findings,
    tool_findings,
    with_manner,
    with_purposes,
    with_symptom_details,
)
from wardround.authoring.assist.facts.rules import is_opposite
from wardround.authoring.assist.facts.scenarios import abnormal_tests, suits
from wardround.authoring.assist.planning.cells import TIERS, Cell
from wardround.authoring.assist.progress import Progress, rarity
from wardround.authoring.assist.scenario_tools import scenario_tools
from wardround.people.patient.memory import PatientMemory

STORIED = 2  # turns of reasoning that need several rules about one thing
# The share of made patients who differ from their chart, where they can, by whether their session
# needs several rules about one thing or disagreeing sources.
Shares: TypeAlias = Mapping[bool, float]
USUAL: Shares = {False: 0.35, True: 0.6}
ALL_DIFFER: Shares = dict.fromkeys((False, True), 1.0)
NONE_DIFFERS: Shares = dict.fromkeys((False, True), 0.0)


@dataclass(frozen=True, slots=True)
class Account:
    """The account that a patient gives in a session.

    Attributes:
        memory: the patient's memory.
        discrepancy: a difference from the chart that the session has to turn on.
        can_differ: the patient could have differed from the chart.
    """

    memory: PatientMemory
    discrepancy: Discrepancy | None = None
    can_differ: bool = False


@dataclass
class Accounts:
    """Draws the accounts of patients.

    Attributes:
        discrepancies: patients of a made record may differ from their chart.
        progress: what earlier cells used.
        seed: the seed of all draws.
    """

    discrepancies: bool
    progress: Progress
    seed: int
    _made: dict[int, PatientMemory] = field(default_factory=dict)
    _known: dict[int, Sequence[Finding]] = field(default_factory=dict)
    _drugs: dict[tuple[int, Discrepancy | None], Sequence[Finding]] = field(default_factory=dict)

    def known(self, patient: SurveyedPatient) -> Sequence[Finding]:
        """The findings of a patient's account before any cell draws its details."""
        subject = patient.survey.desk.subject_id
        if subject not in self._known:
            memory = self.detailed(patient, Random(self.seed))
            self._known[subject] = patient_findings(memory)
        return self._known[subject]

    def detailed(self, patient: SurveyedPatient, random: Random) -> PatientMemory:
        """The memory of a patient; on a made record with a manner, purposes and details."""
        if not self.discrepancies:
            return patient.memory
        subject = patient.survey.desk.subject_id
        if subject not in self._made:
            self._made[subject] = with_manner(with_purposes(patient.memory))
        return with_symptom_details(self._made[subject], random)

    def home_drugs(self, account: Account) -> Sequence[Finding]:
        """The account of the home drugs, cached, since drawn symptoms do not change it."""
        key = account.memory.subject_id, account.discrepancy
        if key not in self._drugs:
            self._drugs[key] = tool_findings(account.memory, ADHERENCE)
        return self._drugs[key]

    def tool(self, cell: Cell, patient: SurveyedPatient, random: Random) -> str:
        """A tool that asks the patient; one that few sessions used is more likely."""
        told_tools = {each.call.tool for each in self.known(patient)}
        tools = sorted(told_tools & scenario_tools(cell.scenario)) or [ADHERENCE]
        [tool] = random.choices(tools, [rarity(self.progress.resources[e]) for e in tools])
        return tool

    def drawn(
        self, cell: Cell, patient: SurveyedPatient, random: Random, shares: Shares
    ) -> Account:
        """The account of a patient, who differs from the chart in a share of sessions."""
        memory = self.detailed(patient, random)
        options = self._options(cell, patient, memory)
        is_storied = cell.arc.count("CR") >= STORIED or cell.tier == max(TIERS)
        if not options or random.random() >= shares[is_storied]:
            return Account(memory, can_differ=bool(options))
        discrepancy = self._one_of(options, random)
        changed = with_discrepancy(memory, discrepancy) if self.discrepancies else memory
        return Account(changed, discrepancy, can_differ=True)

    def _options(
        self, cell: Cell, patient: SurveyedPatient, memory: PatientMemory
    ) -> list[Discrepancy]:
        """The ways in which a patient can differ from the chart so that a cell turns on it."""
        if self.discrepancies:
            taken = patient.taken_drugs if cell.arc[-1] == "WU" else ()
            possible = [*patient.discrepancies, *taken]
        else:
            chart = patient.findings, patient.met, patient.diagnoses
            possible = recorded_discrepancies(memory, *chart)
        abnormal = abnormal_tests(patient.latest)
        options = [
            each
            for each in possible
            if suits(cell.scenario, each.rule, abnormal)
            and not is_opposite(each.rule, patient.courses)
            and not follows_opposite(each.rule, patient.survey.timed(each.rule.observed))
            and not spares_first(each.rule, patient.courses)
        ]
        if {"CR", "WU"} & set(cell.arc):
            return options
        return [each for each in options if each.is_untaken]  # nobody says to stop what was bought

    def _one_of(self, options: Sequence[Discrepancy], random: Random) -> Discrepancy:
        """One of some discrepancies; what few sessions have had is more likely.

        Every drug that was bought counts for all of them.
        """
        stories, used = sorted({each.story for each in options}), self.progress.stories
        bought = sum(used[drug] for drug in SOLD)
        weights = [rarity(bought if story in SOLD else used[story]) for story in stories]
        [story] = random.choices(stories, weights)
        return random.choice([each for each in options if each.story == story])
