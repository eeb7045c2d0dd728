"""Necessary conditions of a storyline, which no order of its turns can replace.

A search tries hundreds of turns before it gives up, so a storyline that fails one is not searched.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from wardround.authoring.assist.facts.findings import Entity, Finding
from wardround.authoring.assist.facts.rules import BoundRule, renewal_tests
from wardround.authoring.assist.facts.scenarios import is_about
from wardround.authoring.assist.planning.cells import Cell
from wardround.authoring.assist.planning.evidence import (
    has_codes,
    is_ordered,
    is_result,
    is_sign,
    is_told,
)
from wardround.authoring.assist.planning.tier_needs import could_meet_tier, disagrees
from wardround.authoring.assist.wording.wordings import has_phrase, is_compared, shows_harm
from wardround.benchmarks.assist.sessions import TURNS


@dataclass(frozen=True)
class Material:
    """The findings and rules of a storyline, from which a cell is to be filled.

    Attributes:
        cell: the cell.
        findings: the findings.
        rules: the rules.
        writes: the tools that a write turn may use.
    """

    cell: Cell
    findings: Sequence[Finding]
    rules: Sequence[BoundRule]
    writes: Collection[str]

    def suffices(self) -> bool:
        """True unless every session of the storyline lacks something."""
        return (
            self._can_ask()
            and self._can_reason()
            and self._can_write()
            and self._can_be_abstract()
            and self._can_turn_on_told()
            and is_about(self.cell.scenario, self.findings)
            and could_meet_tier(self.cell.tier, self.cell.arc, self.findings, self.rules)
        )

    @cached_property
    def _entities(self) -> set[Entity]:
        """The entities of findings and rules, any of which a turn can be about."""
        of_rules = {entity for bound in self.rules for entity in bound.entities}
        return {each.entity for each in self.findings} | of_rules

    @cached_property
    def _reasons(self) -> list[BoundRule]:
        """The rules that a turn can reason about."""
        return [bound for bound in self.rules if not bound.is_taken and self._is_supported(bound)]

    def _is_read(self, test: str) -> bool:
        return any(is_result(each, test) for each in self.findings)

    def _is_told(self, drug: str) -> bool:
        return any(is_told(each, drug) for each in self.findings)

    def _is_ordered(self, drug: str) -> bool:
        return any(is_ordered(each, drug) for each in self.findings)

    def _is_supported(self, bound: BoundRule) -> bool:
        """True if the evidence for a rule can be found."""
        changed = Entity("drug", bound.changed)
        is_known = any(each.entity == changed for each in self.findings)
        is_watched = bound.is_watched and self.cell.arc.count("CR") < TURNS - 1
        return (
            is_charted(bound, self.findings)
            and (not bound.rests_on_account or self._is_told(bound.drug))
            and (bound.rule.action != "resupply" or self._is_ordered(bound.drug))
            and (changed not in bound.entities or is_known)
            and (not is_watched or self._is_read(bound.rule.recheck))
            and all(map(self._is_read, bound.monitored))
        )

    def _can_ask(self) -> bool:
        """True if a turn can ask the patient; of life and symptoms only together with others."""
        told = [each for each in self.findings if each.call.tool.startswith("patient.")]
        gathers = "DG" in self.cell.arc
        return any(
            each.entity.kind != "patient" or (gathers and has_phrase(each.kind, None))
            for each in told
        )

    def _can_reason(self) -> bool:
        """True if there are rules for all turns of reasoning; a score that comes first is one."""
        turns = self.cell.arc.count("CR")
        names = {bound.rule.name for bound in self._reasons}
        steps = {(each.rule.risk, each.rule.action, each.object) for each in self._reasons}
        is_scored = not turns or not self.rules[0].is_score or self.rules[0] in self._reasons
        return is_scored and min(len(names), len(steps)) >= turns

    def _can_write(self) -> bool:
        return "WU" not in self.cell.arc or any(map(self._leads_to_order, self.rules))

    def _leads_to_order(self, bound: BoundRule) -> bool:
        """True if a rule can lead to an order by one of the tools."""
        if bound.rests_on_account and not self._is_told(bound.drug):
            return False
        if "MedicationRequest.create" in self.writes and self._is_renewable(bound.drug):
            return True
        if bound.rule.action == "resupply":
            return False
        repeated = Entity("test", bound.rule.recheck)
        if "ServiceRequest.create" in self.writes and repeated in self._entities:
            return True
        shown = (*bound.tests, *([bound.measure] if bound.measure else []))
        return (
            "Flag.create" in self.writes and bool(bound.drug) and shows(bound, shown, self.findings)
        )

    def _is_renewable(self, drug: str) -> bool:
        """True if a finding has an order of a drug with all that a new one needs."""
        topic = Entity("drug", drug), "order"
        return all(map(self._is_read, renewal_tests(drug))) and any(
            each.topic == topic and "frequency" in each.slots for each in self.findings
        )

    def _can_be_abstract(self) -> bool:
        """True if the abstract question can rest on two turns."""
        match self.cell.arc[1 + self.cell.forms.index("AE")]:
            case "IL":
                return any(map(self._shows_harm, self.rules))
            case "DG":
                return any(map(self._shows_harm, self.rules)) or self._can_compare()
            case "CR":
                return any(len(bound.entities) + bound.is_told > 1 for bound in self._reasons)
            case "WU":
                return True

    def _shows_harm(self, bound: BoundRule) -> bool:
        """True if a result that shows the harm of a rule can be asked for."""
        harm = Entity("test", bound.measure)
        shown = any(each.entity == harm and shows_harm(each.kind) for each in self.findings)
        return bool(bound.measure) and not bound.is_taken and shown and self._is_read(harm.name)

    def _can_compare(self) -> bool:
        """True if the same is found of two things."""
        kinds = [each.kind for each in self.findings if is_compared(each.kind)]
        return len(set(kinds)) < len(kinds)

    def _can_turn_on_told(self) -> bool:
        """True if what the patient tells can be what a session turns on, where a rule needs it."""
        told = [bound for bound in self.rules if bound.is_told]
        if not told:
            return True
        if any(bound.beside for bound in told) or {"CR", "WU"} & set(self.cell.arc):
            is_shown = any(bool(bound.measure) and not bound.is_taken for bound in told)
            return is_shown or any(self._is_told(bound.drug) for bound in told)
        return disagrees(self.findings)


def is_charted(bound: BoundRule, findings: Sequence[Finding]) -> bool:
    """True if findings have the results and the codes that a rule rests on."""
    is_coded = not bound.is_coded or any(map(has_codes, findings))
    return is_coded and shows(bound, bound.tests, findings)


def shows(bound: BoundRule, tests: Collection[str], findings: Sequence[Finding]) -> bool:
    """True if findings have the results of some tests as a rule is about them."""
    return all(any(is_sign(each, test, bound) for each in findings) for test in tests)


def most_reasons(
    rules: Collection[BoundRule], told: Collection[BoundRule], findings: Sequence[Finding]
) -> int:
    """The most turns of reasoning that a storyline of a patient can have.

    Its rules share a drug or test with the first one, or with these; one may be told.

    Args:
        rules: the rules of the chart.
        told: the rules that may hold by what the patient tells.
        findings: the findings of the chart.
    """
    charted = {bound.rule.name for bound in rules if is_charted(bound, findings)}

    def reasons(first: BoundRule) -> int:
        near = {entity for each in _sharing({*first.entities}, both) for entity in each.entities}
        linked = _sharing(near, both)
        names = {each.rule.name for each in linked}
        return len(names & charted) + any(each in told for each in linked)

    both = [*rules, *told]
    return max(map(reasons, both), default=0)


def _sharing(entities: set[Entity], rules: Collection[BoundRule]) -> list[BoundRule]:
    """The rules about some drugs or tests."""
    return [each for each in rules if not entities.isdisjoint(each.entities)]
