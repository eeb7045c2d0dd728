"""The advice of other rules that an answer repeats beside its own."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from wardround.authoring.assist.facts.findings import Finding
from wardround.authoring.assist.facts.rules import LATEST, BoundRule, Field, withholding
from wardround.authoring.assist.planning.drafts import Draft, bought_drugs, charted_drugs
from wardround.authoring.assist.planning.evidence import COURSE
from wardround.ehr.terms.clinical_rules import ClinicalRule, clinical_rules
from wardround.ehr.terms.result_limits import is_critical, result_limits


class Kept(NamedTuple):
    """A field of a rule that says what to do: its action, or what it asks for beside that."""

    bound: BoundRule
    field: Field

    @property
    def object(self) -> str:
        """The drug or service that it is about."""
        return self.bound.drug if self.field == "also" else self.bound.object


def kept_advice(drafts: Sequence[Draft], number: int, told: Sequence[Finding]) -> tuple[Kept, ...]:
    """The advice of other rules in the answer of a turn of reasoning, each drug's once.

    Args:
        drafts: the turns of the session.
        number: the turn.
        told: the findings that its answer tells.
    """
    draft = drafts[number]
    if draft.type != "CR":
        return ()
    own_drugs = {*draft.bound.against, draft.bound.object}
    turns = drafts[: number + 1]
    advice = chain(
        _for_critical(told),
        _withheld(turns, told),
        _against_bought(drafts, number),
        _standing(drafts, number),
    )
    by_object: dict[str, Kept] = {}
    for each in advice:
        if each.object not in own_drugs:
            by_object.setdefault(each.object, each)
    return tuple(by_object.values())


def is_critical_result(finding: Finding) -> bool:
    """True for a latest result beyond a critical limit, alone or as the end of a course."""
    if finding.kind not in (*LATEST, COURSE):
        return False
    return is_critical(finding.entity.name, _value(finding))


def _value(finding: Finding) -> float:
    return float(finding.slots["value"].source.value)


def _for_critical(told: Sequence[Finding]) -> Iterator[Kept]:
    """The actions that critical results call for, whatever the drug."""
    for finding in filter(is_critical_result, told):
        rules = (e for e in clinical_rules() if not e.drug and e.test == finding.entity.name)
        if rule := next((e for e in rules if _is_pressing(e, _value(finding))), None):
            yield Kept(BoundRule(rule), "action")


def _withheld(turns: Sequence[Draft], told: Sequence[Finding]) -> Iterator[Kept]:
    """The charted drugs of some turns that critical results forbid, whatever the turn is about."""
    drugs = charted_drugs(turns)
    for finding in filter(is_critical_result, told):
        for rule, drug in withholding(finding.entity.name, _value(finding), drugs):
            yield Kept(BoundRule(rule, drug), "action")


def _is_pressing(rule: ClinicalRule, value: float) -> bool:
    """True if a result meets a rule whose limit is near a critical one itself."""
    return rule.is_met([value]) and result_limits()[rule.test].is_marked(rule.limit)


def _against_bought(drafts: Sequence[Draft], number: int) -> Iterator[Kept]:
    """The rule against a bought drug that was told by a turn, and that no turn so far advises."""
    bought = bought_drugs(drafts[: number + 1])
    advised = [each.rule for each in drafts[: number + 1] if each.type in ("CR", "WU")]
    rules = [each.rule for each in drafts if each.rule and each.rule.is_told]
    if rule := next((e for e in rules if e.opposed in bought and e not in advised), None):
        yield Kept(rule, "action")


def stops_unasked(drafts: Sequence[Draft], number: int) -> bool:
    """True if the answer of a turn stops a bought drug that its question has nothing to do with.

    A question about "all of that" is about what the patient bought as well.
    """
    draft = drafts[number]
    return draft.type == "CR" and draft.form != "AE" and any(_against_bought(drafts, number))


def _standing(drafts: Sequence[Draft], number: int) -> Iterator[Kept]:
    """The advice of earlier turns, in an answer about all of them together.

    It gives no drug that the answer itself must not recommend.
    """
    for bound in standing_rules(drafts[number], drafts[:number]):
        fields: Iterable[Field] = dict.fromkeys(("action", *bound.against.values()))
        if bound.given != drafts[number].bound.avoided:
            yield from (Kept(bound, field) for field in fields)


def standing_rules(draft: Draft, earlier: Sequence[Draft]) -> list[BoundRule]:
    """The rules of earlier turns of reasoning that a turn is about as well: "all of that".

    A question for a new risk asks for no more about the earlier ones.
    """
    if draft.form != "AE" or draft.asked_risks:
        return []
    return [each.bound for each in earlier if each.type == "CR"]
