"""Fills the cells of a suite: patients in turn, with retries, through the gates."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache, partial
from itertools import islice, product
from random import Random
from typing import Literal, NamedTuple, TypeAlias

from wardround.authoring.assist.accounts import (
    ALL_DIFFER,
    NONE_DIFFERS,
    STORIED,
    USUAL,
    Account,
    Accounts,
    Shares,
)
from wardround.authoring.assist.candidates.candidate_record import CandidateRecord, SurveyedPatient
from wardround.authoring.assist.candidates.prefilter import Candidate
from wardround.authoring.assist.facts.chosen_rules import at_discharge, in_step, tempted, timed
from wardround.authoring.assist.facts.discrepancies import Discrepancy
from wardround.authoring.assist.facts.findings import Finding
from wardround.authoring.assist.facts.met_rules import oral_drugs
from wardround.authoring.assist.facts.patients import (
    ADHERENCE,
    home_drugs,
    tool_findings,
)
from wardround.authoring.assist.facts.rules import BoundRule
from wardround.authoring.assist.facts.scenarios import (
    INFECTIONS,
    RESPONSE,
    is_of_infection,
)
from wardround.authoring.assist.gates.gate_counts import GateCounts
from wardround.authoring.assist.gates.rehearsal import Rehearsals
from wardround.authoring.assist.gates.session_gates import (
    Fault,
    Gate,
    answer_faults,
    call_faults,
    form_faults,
    playable,
)
from wardround.authoring.assist.maker_models import NO_MODELS, MakerModels
from wardround.authoring.assist.planning.cells import LEAVING, Cell
from wardround.authoring.assist.planning.planner import Opening, Planner, rare_writes
from wardround.authoring.assist.planning.session_search import (
    MOST_PASSED,
    PASSED,
    Choose,
    called_by,
)
from wardround.authoring.assist.planning.storylines import longest_story
from wardround.authoring.assist.progress import (
    ENOUGH,
    OWN,
    RETOLD,
    Filled,
    Progress,
    Reach,
    in_turn,
    is_told_again,
    use,
)
from wardround.authoring.assist.scenario_tools import scenario_tools
from wardround.authoring.assist.session_lines import (
    Session,
    facts_of,
    planned_session,
    session_line,
)
from wardround.benchmarks.assist.sessions import WRITES

Subject: TypeAlias = Literal["infection", "critical result", ""]

_RENEWAL = "MedicationRequest.create"
_TRIES = 4  # the first and three retries
# The word in the seed of each reach, by which its draws differ from those of earlier ones.
_DRAWS: Mapping[Reach, str] = {
    "unused": "", "all": " further", "again": " further", "redrawn": " redrawn",
}  # fmt: skip
PATIENTS = 20  # patients that are tried for a cell
_SURVEYED = 100  # patients of a cell whose rules are counted
_CRITICAL = 0.15  # sessions on the ward for which a patient with a critical result is sought


class Told(NamedTuple):
    """The part of a case that decides which turns it supports, without a symptom's drawn details.

    Attributes:
        leaves: the session takes place at the discharge.
        tool: the tool that asks the patient.
        discrepancy: a difference from the chart that the session has to turn on.
    """

    leaves: bool
    tool: str
    discrepancy: Discrepancy | None


@dataclass(frozen=True, slots=True)
class Case:
    """A patient at the time of a session, with what the patient tells in one try.

    Attributes:
        patient: the patient at that time.
        leaves: it is the discharge.
        tool: the tool that asks the patient.
        account: the account that the patient gives.
        random: the draws that are left for the turns.
        findings: the findings of the record and of the account.
        rules: the rules that hold; none if no session can be about the patient.
    """

    patient: SurveyedPatient
    leaves: bool
    tool: str
    account: Account
    random: Random
    findings: Sequence[Finding] = ()
    rules: Sequence[BoundRule] = ()

    @property
    def told(self) -> Told:
        """The part that decides which turns it supports."""
        return Told(self.leaves, self.tool, self.account.discrepancy)


@dataclass
class SlotFiller:
    """Fills the cells of a scenario from the candidates' record.

    Attributes:
        record: the candidates' record.
        candidates: the candidates in the order of the seed.
        seed: the seed of all draws.
        discrepancies: patients of a made record may differ from their chart.
        progress: what earlier cells used.
        models: the language models that choose turns and reword questions.
        accounts: what the patients tell.
    """

    record: CandidateRecord
    candidates: Sequence[Candidate]
    seed: int
    discrepancies: bool
    progress: Progress = field(default_factory=Progress)
    models: MakerModels = NO_MODELS
    accounts: Accounts = field(init=False)
    _counts: GateCounts = field(default_factory=GateCounts)
    _tool: str = ""
    _reach: Reach = "unused"
    _retold: set[int] = field(default_factory=set)
    _rounds: Sequence[Shares] = (USUAL,)
    _seeks: bool = True
    _rehearsals: Rehearsals = field(init=False)

    def __post_init__(self) -> None:
        self._rehearsals = Rehearsals.on(self.record.chart)
        self.accounts = Accounts(self.discrepancies, self.progress, self.seed)

    def fill(
        self,
        number: int,
        offers: Sequence[Cell],
        passed: Collection[int] = (),
        tool: str = "",
        reach: Reach = "unused",
        most: int = PATIENTS,
    ) -> Filled:
        """The session of a cell, which then counts as used.

        Args:
            number: the number of the cell.
            offers: the cell with each order of forms that it may have, the planned one first.
            passed: patients that were tried for it before.
            tool: the tool that the session has to use; "" if any will do.
            reach: the patients that it is filled from.
            most: the number of them that are tried.
        """
        self._counts, self._tool, self._reach = GateCounts(), tool, reach
        self._retold.clear()
        filled = self._filled(number, offers, passed, most)
        use(self.progress, filled)
        return filled

    def widen(self) -> None:
        """Fill cells that stayed empty with sessions about any subject.

        Their turns are searched for longer. In the first round of tries, every patient who can
        differ from the chart does; in the second round, none does. Later calls change nothing.
        """
        if self._seeks:
            self.progress.stories.clear()
            self._rounds, self._seeks = (ALL_DIFFER, NONE_DIFFERS), False

    def _filled(
        self, number: int, offers: Sequence[Cell], passed: Collection[int], most: int
    ) -> Filled:
        vain: list[int] = []
        for candidate in self._promising(number, offers[0], passed)[:most]:
            if session := self._session(number, offers, candidate):
                if wordings := self.models.wordings:
                    session = wordings.reworded(session, self._gate_faults, self._counts)
                line = {**session_line(session, _dated(session)), **self.models.provenance}
                called = tuple(name for d in session.drafts for name in called_by(d))
                avoided = _avoided(session)
                return Filled(
                    candidate, line, called, session.story, avoided, tuple(vain), (), self._counts
                )
            vain.append(candidate.subject_id)
        retold = tuple(each for each in vain if each in self._retold)
        return Filled(vain=tuple(vain), retold=retold, counts=self._counts)

    def _promising(self, number: int, cell: Cell, passed: Collection[int]) -> list[Candidate]:
        """The next patients for a cell: those with resources that no session used, or many rules.

        Beside its reasoning a session has room for other resources in a turn that gathers several.
        """
        has_room = "DG" in cell.arc and cell.arc.count("CR") < STORIED
        subject = self._subject(number, cell)

        def promise(candidate: Candidate) -> tuple[bool, bool, int]:
            patient = self.record.patient(candidate, self._time(cell, candidate, 0))
            new = has_room and self._has_unused(cell, patient)
            rules = min(longest_story(cell, patient.stories), ENOUGH)
            return _has(subject, patient), new, rules + OWN * (candidate.home == cell.scenario)

        of_infection = subject == "infection"
        order = self.candidates, cell, self.progress, self._reach
        first = in_turn(*order, of_infection=of_infection)
        untried = (each for each in first if each.subject_id not in passed)
        able = (each for each in untried if self._can_use_tool(cell, each))
        return sorted(islice(able, _SURVEYED), key=promise, reverse=True)

    def _subject(self, number: int, cell: Cell) -> Subject:
        """The subject that the patients for a cell are looked for first, by the seed."""
        if not self._seeks:
            return ""
        drawn = Random(f"{self.seed} {number} subject").random()
        # Antibiotics are not taken at home, so the patient is asked of symptoms beside them.
        if cell.scenario == RESPONSE and "DG" in cell.arc and drawn < INFECTIONS:
            return "infection"
        return "critical result" if cell.scenario != LEAVING and drawn > 1 - _CRITICAL else ""

    def _can_use_tool(self, cell: Cell, candidate: Candidate) -> bool:
        """True if the tool that a session has to use writes, or finds something of a patient."""
        if not self._tool or self._tool in WRITES:
            return not self._tool or "WU" in cell.arc
        patient = self.record.patient(candidate, self._time(cell, candidate, 0))
        findings = [*patient.findings, *self.accounts.known(patient)]
        return any(each.call.tool == self._tool for each in findings)

    def _has_unused(self, cell: Cell, patient: SurveyedPatient) -> bool:
        """True if a patient has a finding of a resource that no session of the scenario used."""
        tools = scenario_tools(cell.scenario)
        findings = [*patient.findings, *self.accounts.known(patient)]
        allowed = [each for each in findings if each.call.tool in tools]
        return any(not self.progress.resources[each.resource] for each in allowed)

    def _session(self, number: int, offers: Sequence[Cell], candidate: Candidate) -> Session | None:
        """The session about a patient of the first order of forms that has one."""
        # Forms change neither the draws of a try nor what the patient tells in it.
        case = cache(partial(self._case, number, offers[0], candidate))
        return next(filter(None, (self._tried(number, each, case) for each in offers)), None)

    def _tried(self, number: int, cell: Cell, case: Callable[[int, int], Case]) -> Session | None:
        """The first session of some forms that passes the gates; None after all retries.

        A try for which the patient could not have differed from the chart is not made again in a
        later round, where it would be the same.

        Args:
            number: the number of the cell.
            cell: the cell with the forms.
            case: the case of each round and try.
        """
        counts, failed, settled = self._counts, list[list[Fault]](), set[int]()
        hopeless = defaultdict[Told, set[Opening]](set)
        for place, attempt in product(range(len(self._rounds)), range(_TRIES)):
            if attempt in settled:
                continue
            tried = case(place, attempt)
            session = self._planned(number, cell, tried, hopeless[tried.told])
            counts.tried("plan", cell.arc)
            if session and self._is_told_again(session):
                faults = [_TOLD_AGAIN]
                self._retold.add(session.survey.desk.subject_id)
            else:
                faults = list(self._faults(session)) if session else [_NO_PLAN]
            if session and not faults:
                break
            failed.append(faults)
            if not tried.account.can_differ:
                settled.add(attempt)
        else:
            session = None
        for number, faults in enumerate(failed, start=1):
            is_dropped = not session and number == len(failed)
            counts.failed(faults, cell.arc, "dropped" if is_dropped else "retried")
        return session

    def _is_told_again(self, session: Session) -> bool:
        """True if an earlier session told the same storyline of the patient, and none may again."""
        line = session_line(session, _dated(session))
        return self._reach not in RETOLD and is_told_again(line, self.progress.told)

    def _case(
        self, number: int, cell: Cell, candidate: Candidate, place: int, attempt: int
    ) -> Case:
        """The case of a try, with the shares of a round.

        The first tries draw the tool that asks the patient, the others ask for home drugs.
        """
        time = self._time(cell, candidate, attempt)
        patient, leaves = self.record.patient(candidate, time), time == candidate.discharge
        random = Random(
            f"{self.seed} {number} {candidate.subject_id} {attempt}{_DRAWS[self._reach]}"
        )
        if patient.reasons < cell.arc.count("CR"):
            return Case(patient, leaves, ADHERENCE, Account(patient.memory), random)
        account = Account(self.accounts.detailed(patient, random))
        draws = attempt < _TRIES // 2 and "DG" in cell.arc
        tool = self.accounts.tool(cell, patient, random) if draws else ADHERENCE
        if self._tool.startswith("patient."):
            tool = self._tool
        is_account = tool == ADHERENCE
        if is_account and not _has(self._subject(number, cell), patient) and not patient.critical:
            account = self.accounts.drawn(cell, patient, random, self._rounds[place])
        told = (
            self.accounts.home_drugs(account) if is_account else tool_findings(account.memory, tool)
        )
        rules = _rules(patient, account.discrepancy, self.progress.avoided, leaves=leaves)
        findings = [*patient.findings, *told]
        return Case(patient, leaves, tool, account, random, findings, rules)

    def _planned(
        self, number: int, cell: Cell, case: Case, hopeless: set[Opening]
    ) -> Session | None:
        """The session of a case; None if there is none.

        Args:
            number: the number of the cell.
            cell: the cell.
            case: the case.
            hopeless: the openings that have no session in cases with the same account.
        """
        if not case.rules:
            return None
        patient, random = case.patient, copy(case.random)
        survey, discrepancy = patient.survey, case.account.discrepancy
        day = survey.desk.clock.date()
        name = f"{cell.scenario}_{number + 1}"
        choose, of_infection = self._choose(name, cell), self._subject(number, cell) == "infection"
        used, passed = self.progress.resources, PASSED if self._seeks else MOST_PASSED
        planner = Planner(used, case.leaves, choose, of_infection, self._tool, passed, hopeless)
        results = patient.critical, patient.pressing
        drafts = planner.plan(cell, case.findings, case.rules, day, random, *results)
        if not drafts:
            return None
        facts = facts_of(survey, survey.desk.clock)
        memory = case.account.memory
        session = planned_session(name, cell, drafts, survey, memory, facts, random)
        return replace(session, story=discrepancy.story if discrepancy else "")

    def _time(self, cell: Cell, candidate: Candidate, attempt: int) -> datetime:
        """The time of a session: a ward round, or the discharge.

        Only orders for the time after the stay have a frequency, so these are renewed at its end.
        """
        is_early = attempt < _TRIES // 2 and cell.arc[-1] == "WU"
        rare = rare_writes(cell, self.progress.resources)[0]
        renews = is_early and (self._tool if self._tool in WRITES else rare) == _RENEWAL
        if cell.scenario == LEAVING or renews or candidate.ward_round is None:
            return candidate.discharge
        return candidate.ward_round

    def _choose(self, name: str, cell: Cell) -> Choose | None:
        """Chooses among the drafts of a turn by a model; None without one."""
        choice = self.models.choice
        if not choice:
            return None
        return lambda history, options: choice.chosen(name, cell, history, options, self._counts)

    def _faults(self, session: Session) -> Iterator[Fault]:
        """The faults that the first gate with any finds; the turns are counted at each gate."""
        for gate, faults in self._gates(session):
            self._counts.tried(gate, session.cell.arc)
            if faults:
                yield from faults
                return

    def _gate_faults(self, session: Session) -> list[Fault]:
        """The faults that the first gate with any finds."""
        return next((faults for _, faults in self._gates(session) if faults), [])

    def _gates(self, session: Session) -> Iterator[tuple[Gate, list[Fault]]]:
        """The gates with their faults, each on demand."""
        yield "form", list(form_faults(session))
        played = playable(session_line(session, _dated(session)))
        yield "calls", list(call_faults(session, played, self.record.chart))
        yield "answers", list(answer_faults(session, played, self._rehearsals))


def _avoided(session: Session) -> tuple[str, ...]:
    """The drugs that the answers and the order of a session avoid."""
    avoided = (
        each.bound.avoided if each.type == "CR" else each.refused
        for each in session.drafts
        if each.type in ("CR", "WU")
    )
    return tuple(drug for drug in avoided if drug)


def _rules(
    patient: SurveyedPatient,
    discrepancy: Discrepancy | None,
    avoided: Mapping[str, int],
    *,
    leaves: bool,
) -> list[BoundRule]:
    """The rules of the chart, and the one that holds by what the patient tells.

    Rules about a drug do not hold for a patient who does not take it. Each rule avoids a drug that
    few sessions avoid.
    """
    rules = list(patient.rules)
    if discrepancy:
        untaken = discrepancy.drug if discrepancy.is_untaken else None
        rules = [discrepancy.rule, *(bound for bound in rules if bound.drug != untaken)]
    suited = tempted(rules, patient.tempting, avoided)
    chosen = in_step([timed(bound, patient.courses) for bound in suited])
    if not leaves:
        return chosen
    return at_discharge(chosen, {*home_drugs(patient.memory), *oral_drugs(patient.findings)})


_NO_PLAN = Fault("plan", "no four turns fit the cell")
_TOLD_AGAIN = Fault("plan", "another session tells the same of the patient")


def _has(subject: Subject, patient: SurveyedPatient) -> bool:
    """True if a rule of a patient is about a subject."""
    if subject == "infection":
        return any(map(is_of_infection, patient.rules))
    return subject == "critical result" and patient.has_critical_rule


def _dated(session: Session) -> str:
    """The time that a session is dated: its clock, since nothing reads the real one."""
    return session.survey.desk.clock.isoformat()
