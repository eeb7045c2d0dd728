"""Evidence for rules: the findings that a question about what follows rests on."""

from collections.abc import Collection, Iterator, Sequence
from itertools import product

from wardround.authoring.assist.facts.findings import Entity, Finding
from wardround.authoring.assist.facts.rules import LATEST, BoundRule

_TOLD = ("adherence", "other_drug")
_ORDER = "order"
_CHARTED = (_ORDER, "given", "first_given")  # kinds that show that a drug is given
_FIRST = ("lab_first", "first_given")  # kinds that say nothing of what holds now
COURSE = "lab_course"
MOST_CALLS = 4


def evidence(
    bound: BoundRule, earlier: Sequence[Finding], fresh: Sequence[Finding]
) -> Iterator[tuple[Finding, ...]]:
    """The new findings that a question about a rule rests on, with the orders of its drugs.

    A drug that no turn has looked up is looked up, if its order or dose is among the findings. One
    that the rule changes has to be: nobody changes a drug that is only named or told of. A score is
    asked for with its tests only, so an earlier turn has to have looked up such a drug. Of two
    drugs, one that the patient only told of is looked up too; evidence without that comes last. A
    drug that the patient does not take is given as it is ordered, so its order is looked up.

    Args:
        bound: the rule.
        earlier: the findings of the turns before.
        fresh: the findings that the turn may have.
    """
    fresh = [each for each in fresh if each.entity in bound.near or has_codes(each)]
    if not fresh:
        return
    changed = frozenset({bound.changed} - {""})
    both = changed | {bound.drug, bound.beside} if bound.beside and not bound.is_told else changed
    first = []
    for each in _looked_up(bound, earlier, fresh, both):
        first.append(each)
        yield each
    if any(is_told(each, drug) for each in earlier for drug in both - changed):
        rest = _looked_up(bound, earlier, fresh, changed)
        yield from (each for each in rest if each not in first)


def _looked_up(
    bound: BoundRule,
    earlier: Sequence[Finding],
    fresh: Sequence[Finding],
    charted: Collection[str],
) -> Iterator[tuple[Finding, ...]]:
    """The evidence for a rule in which the chart shows some drugs, by their orders or doses."""
    seen = _shown(bound, earlier, charted)
    unseen = [e for e in bound.entities if e.kind == "drug" and e not in seen]
    wanted = {drug for drug in unseen if drug.name in charted}
    lookups = {drug: _charted(drug, fresh) for drug in unseen if not bound.is_score}
    for needed in _needed(bound, earlier, fresh):
        looked_up = _shown(bound, needed, charted)
        missing = [e for drug, e in lookups.items() if e and drug not in looked_up]
        if len(needed) + len(missing) > MOST_CALLS:
            missing = []
        for more in product(*missing):
            if wanted <= looked_up | {each.entity for each in more}:
                yield (*needed, *more)


def _shown(bound: BoundRule, findings: Sequence[Finding], charted: Collection[str]) -> set[Entity]:
    """The entities that findings show; the chart has to show some drugs of its rules itself."""
    of_chart = () if bound.is_told else charted
    return {e.entity for e in findings if e.entity.name not in of_chart or e.kind in _CHARTED}


def _charted(drug: Entity, fresh: Sequence[Finding]) -> list[Finding]:
    """The findings that show that a drug is given, its order before its doses."""
    charted = [each for each in fresh if is_charted(each, drug.name)]
    return sorted(charted, key=lambda each: _CHARTED.index(each.kind))[:1]


def _needed(
    bound: BoundRule, earlier: Sequence[Finding], fresh: Sequence[Finding]
) -> Iterator[tuple[Finding, ...]]:
    """The new findings that a rule needs beside those of earlier turns, or else one that helps.

    Those with the result that its advice repeats come first, and those with what the patient says
    of the drug last. The first value or dose of a stay says nothing of the risk now.
    """
    needed, is_untaken = [], bound.rule.action == "resupply"
    for test in bound.tests:
        if not any(shows_sign(each, test, bound) for each in earlier):
            needed.append([each for each in fresh if is_sign(each, test, bound)])
    if bound.rests_on_account and not any(is_told(each, bound.drug) for each in earlier):
        needed.append([each for each in fresh if is_told(each, bound.drug)])
    if is_untaken and not any(is_ordered(each, bound.drug) for each in earlier):
        needed.append([each for each in fresh if is_ordered(each, bound.drug)])
    if bound.is_coded and not any(has_codes(each) for each in earlier):
        needed.append([each for each in fresh if has_codes(each)])
    if len(needed) > MOST_CALLS:
        return
    watched = [test for test in watched_tests(bound) if not is_read(test, earlier)]
    if watched and not bound.is_score:
        results = [[each for each in fresh if is_result(each, test)] for test in watched]
        yield from product(*needed, *results)
    if needed:
        accounts = [each for each in fresh if is_told(each, bound.drug)]
        yield from product(*needed)
        if not bound.rests_on_account and not bound.is_score and len(needed) < MOST_CALLS:
            yield from product(*needed, accounts)
        return
    for each in fresh:
        if each.entity in bound.entities and each.kind not in _FIRST:
            yield (each,)


def is_sign(finding: Finding, test: str, bound: BoundRule) -> bool:
    """True if a finding has what a rule is about: the latest value of a test, or its course."""
    if bound.is_of_course:
        return _is_course(finding, test)
    return is_result(finding, test)


def shows_sign(finding: Finding, test: str, bound: BoundRule) -> bool:
    """True if a finding of an earlier turn tells what a rule is about, the end of a course too."""
    return is_sign(finding, test, bound) or (not bound.is_of_course and tells_result(finding, test))


def has_codes(finding: Finding) -> bool:
    """True if a finding has the codes of all diagnoses of the stay."""
    return "codes" in finding.slots


def is_result(finding: Finding, test: str) -> bool:
    """True if a finding has the latest value of a test."""
    return finding.kind in LATEST and finding.entity == Entity("test", test)


def tells_result(finding: Finding, test: str) -> bool:
    """True if a finding tells the latest value of a test, alone or as the end of its course."""
    return is_result(finding, test) or _is_course(finding, test)


def _is_course(finding: Finding, test: str) -> bool:
    return finding.kind == COURSE and finding.entity == Entity("test", test)


def is_read(test: str, findings: Sequence[Finding]) -> bool:
    """True if the latest result of a test is among some findings."""
    return any(tells_result(each, test) for each in findings)


def watched_tests(bound: BoundRule) -> tuple[str, ...]:
    """The tests beside its own that a rule's advice repeats, or that monitor its drugs."""
    repeated = (bound.rule.recheck,) if bound.is_watched else ()
    return tuple(dict.fromkeys((*repeated, *bound.monitored)))


def is_charted(finding: Finding, drug: str) -> bool:
    """True if a finding is an order or a dose of a drug."""
    return finding.kind in _CHARTED and finding.entity == Entity("drug", drug)


def is_ordered(finding: Finding, drug: str) -> bool:
    """True if a finding is an order of a drug."""
    return finding.topic == (Entity("drug", drug), _ORDER)


def is_told(finding: Finding, drug: str) -> bool:
    """True if a finding is what the patient says of a drug."""
    return finding.kind in _TOLD and finding.entity == Entity("drug", drug)
