"""The rubric items of turns that read: values of findings, what follows from rules, and sources."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from wardround.authoring.assist.facts.findings import Finding
from wardround.authoring.assist.facts.rules import BoundRule
from wardround.authoring.assist.facts.sources import Cited, Computed
from wardround.authoring.assist.planning.drafts import Draft, is_advised
from wardround.authoring.assist.planning.evidence import COURSE, is_told, tells_result
from wardround.authoring.assist.wording.comparisons import compared_slot, comparison_check
from wardround.authoring.assist.wording.item_checks import (
    adding_check,
    critical_check,
    finding_check,
    rule_check,
    state_check,
)
from wardround.authoring.assist.wording.kept_advice import Kept, is_critical_result, standing_rules
from wardround.authoring.assist.wording.questions import is_comparison, item_counts, known_items
from wardround.authoring.assist.wording.rubric_items import Item
from wardround.authoring.assist.wording.stated_words import (
    action_wordings,
    adding_words,
    comparison_words,
    rule_words,
    score_words,
    stated_words,
)
from wardround.authoring.assist.wording.wordings import (
    filled,
    finding_wordings,
    slots_of,
    wordings,
)
from wardround.benchmarks.assist.sessions import LANGUAGES, Language
from wardround.ehr.terms.result_limits import result_limits

_LEAST_ITEMS, _MOST_ITEMS = 5, 6
_FIELDS = ("action", "also", "avoided", "risk", "recheck")
_FIELDS_TODAY = ("action", "also", "recheck", "risk", "avoided")
_NEEDED_ITEMS = 3  # of a rule: what to do, what not to do, and the risk


def reading_items(
    draft: Draft, earlier: Sequence[Draft], score: Computed | None, standing_advice: Sequence[Kept]
) -> Iterator[Item]:
    """The rubric items of a turn that reads, each with its sources.

    Args:
        draft: the turn.
        earlier: the turns before, with the sources of their findings placed.
        score: the score that it asks for; None if it asks for none.
        standing_advice: the advice that its answer keeps beside its own.
    """
    if draft.type != "CR":
        for finding, count in zip(draft.findings, item_counts(draft), strict=True):
            # The comparison grades the directions of two courses, their own items the values.
            is_part = finding.kind == COURSE and is_comparison(draft)
            yield from _finding_items(finding, count, known_items(finding)[is_part:])
        if is_comparison(draft):
            yield _comparison_item(draft)
        return
    rule_items = list(_rule_items(draft.bound, _ungraded(draft, earlier, standing_advice)))
    rule_items[1:1] = [_field_item(each.bound, each.field) for each in standing_advice]
    more_items = list(_adding_items(draft))
    rule_items[1:1] = more_items
    facts, more = (list(_reasoning_facts(draft, earlier, score, of_each)) for of_each in (1, 2))
    is_short = sum(map(len, facts)) + len(rule_items) < _LEAST_ITEMS
    if is_short or sum(map(len, more)) + len(rule_items) <= _MOST_ITEMS:
        facts = more
    needed = _NEEDED_ITEMS + bool(draft.bound.rule.also) + len(standing_advice) + len(more_items)
    fact_items = _first_of_each(facts, max(_MOST_ITEMS - needed, 1))
    yield from fact_items
    yield from rule_items[: _MOST_ITEMS - len(fact_items)]


def _first_of_each(facts: Sequence[Sequence[Item]], most: int) -> list[Item]:
    """At most so many items in order, the first about each fact before any second one."""
    order = [(index, number) for number, items in enumerate(facts) for index in range(len(items))]
    chosen = sorted((number, index) for index, number in sorted(order)[:most])
    return [facts[number][index] for number, index in chosen]


def _reasoning_facts(
    draft: Draft, earlier: Sequence[Draft], score: Computed | None, of_each: int
) -> Iterator[list[Item]]:
    """The items about each fact that a rule rests on: some of the chart and two of the patient."""
    told = [each for each in draft.findings if each.call.tool.startswith("patient.")]
    recorded = [each for each in draft.findings if each not in told]
    for finding in told:
        yield list(_finding_items(finding, 2, _reasonless(finding)))
    if score:
        texts = {
            language: filled(wordings(language)["score"]["item"], score_words(score, language))
            for language in LANGUAGES
        }
        yield [Item(texts, (score,))]
        recorded = recorded[:2]
    before = earlier_evidence(draft, earlier)
    for finding in (*recorded, *before):
        most = _asked_values(finding, [*draft.findings, *before]) or of_each
        # A rule about a latest value rests on where a course ends, not on its direction.
        is_latest = finding.kind == COURSE and not draft.bound.is_of_course
        yield list(_finding_items(finding, most, _reasonless(finding)[is_latest:]))


def _reasonless(finding: Finding) -> list[int]:
    """The items of a finding, but for why a drug is not taken: no advice turns on that."""
    texts = finding_wordings(finding, "en")["items"]
    return [number for number in known_items(finding) if "why" not in slots_of(texts[number])]


def _asked_values(finding: Finding, evidence: Sequence[Finding]) -> int:
    """The number of values that a question about what follows asks for; 0 if that is open.

    The question asks when an order began or a dose was given, and how a measurement has changed,
    only if it rests on nothing else.
    """
    if "short" not in finding_wordings(finding, "en"):
        return 0
    return 2 if evidence == [finding] else 1


def _finding_items(
    finding: Finding, most: int, among: Sequence[int] | None = None
) -> Iterator[Item]:
    """The items of a finding, at most so many.

    Args:
        finding: the finding.
        most: the most items.
        among: the numbers of the items; None for all whose values it has.
    """
    both = {language: _item_texts(finding, language) for language in LANGUAGES}
    for number in (known_items(finding) if among is None else among)[:most]:
        texts = {
            language: filled(items[number], stated_words(finding, language))
            for language, items in both.items()
        }
        names = slots_of(both["en"][number])
        used = [finding.slots[name] for name in names if name in finding.slots]
        used = used or list(finding.slots.values())[:1]
        sources = tuple(slot.source for slot in used)
        check = _check(finding, names)
        if names and names[-1] == "flag" and is_critical_result(finding):
            check = critical_check(finding)
        yield Item(texts, sources, check)


def _item_texts(finding: Finding, language: Language) -> Sequence[str]:
    """The texts of the items of a finding; of a critical result, that it is low is not enough."""
    texts: Sequence[str] = finding_wordings(finding, language)["items"]
    if not is_critical_result(finding):
        return texts
    critical = wordings(language)["rule"]["critical_item"]
    return [critical if "{flag}" in text else text for text in texts]


def _check(finding: Finding, names: tuple[str, ...]) -> Mapping[str, Any] | None:
    """The check of an item of a finding; a home drug has one that says how it is used."""
    if finding.kind == "adherence" and names[0] == "told_item":
        return state_check(finding.entity.name, str(finding.slots["state"].source.value))
    if finding.kind == "other_drug" and names == ("drug",):
        return state_check(finding.entity.name, "good")
    return finding_check(finding, names) if names else None


def _ungraded(
    draft: Draft, earlier: Sequence[Draft], standing_advice: Sequence[Kept]
) -> Iterator[str]:
    """The fields of a rule without an item: other advice contains them, or nobody would miss them.

    A panel has the test that the advice repeats, a usual result need not be repeated on a certain
    day, and who stops a drug does not recommend it.
    """
    bound = draft.bound
    if (
        bound.panel
        or is_advised(bound, earlier)
        or _is_usual(bound.rule.recheck, (*earlier, draft))
    ):
        yield "recheck"
    if any(bound.avoided in each.bound.against for each in standing_advice) and not bound.raised:
        yield "avoided"


def _adding_items(draft: Draft) -> Iterator[Item]:
    """The items about what adds to a risk, of a question that means all drugs of its session."""
    bound = draft.bound
    for drug, rule in draft.adding if draft.form == "AE" else ():
        texts = {lang: adding_words(bound, drug, "adding_item", lang) for lang in LANGUAGES}
        check = adding_check(drug, bound.rule.risk)
        yield Item(texts, (Cited(rule, "risk", bound.rule.risk),), check)


def _is_usual(test: str, turns: Sequence[Draft]) -> bool:
    """True if the last result of a test that turns found is within its usual limits."""
    results = [each for draft in turns for each in draft.findings if tells_result(each, test)]
    limits = result_limits().get(test)
    if not results or not limits:
        return False
    return limits.is_usual(float(results[-1].slots["value"].source.value))


def _rule_items(bound: BoundRule, ungraded: Iterable[str] = ()) -> Iterator[Item]:
    """The items about what follows: action and safety first.

    Args:
        bound: the rule.
        ungraded: the fields without an item.
    """
    left = {*ungraded, *(() if bound.rule.also else ("also",))}
    # A test due today comes early, so that a limit on items does not cut it.
    for field in _FIELDS if bound.days else _FIELDS_TODAY:
        if field not in left:
            yield _field_item(bound, field)


def _field_item(bound: BoundRule, field: str) -> Item:
    """The item about a field of a rule."""
    cited = "action" if field == "avoided" and bound.raised else field
    value = bound.avoided if cited == "avoided" else getattr(bound.rule, cited)
    texts = {lang: _rule_item(bound, field, lang) for lang in LANGUAGES}
    return Item(texts, (Cited(bound.rule.name, cited, value),), rule_check(bound, field))


def _rule_item(bound: BoundRule, field: str, language: Language) -> str:
    table, words = wordings(language), rule_words(bound, language)
    if field == "also":
        return filled(table["action"][bound.rule.also]["item"], {"drug": words["first"]})
    if field == "action":
        return filled(action_wordings(bound, language)["item"], words)
    name = {"risk": "risk_item_begun" if bound.has_begun else "risk_item",
            "recheck": "recheck_item" if bound.days else "recheck_item_today",
            "avoided": "raise_item" if bound.raised else "avoid_item"}[field]  # fmt: skip
    return filled(table["rule"][name], words)


def earlier_evidence(draft: Draft, earlier: Sequence[Draft]) -> list[Finding]:
    """Findings of earlier turns that the turn's rule rests on: the last result and the account.

    An answer about "all of that" tells the last results that the earlier advice rests on as well,
    if these are high or low.
    """
    if draft.type != "CR" or not draft.rule:
        return []
    findings = [finding for each in earlier for finding in each.findings]
    accounts = [each for each in findings if draft.rule.is_told and is_told(each, draft.rule.drug)]
    own = [] if draft.rule.is_score else _results(draft.rule, findings)[-1:]
    told = {each.entity for each in (*draft.findings, *own)}
    standing = [e for rule in standing_rules(draft, earlier) for e in _results(rule, findings)[-1:]]
    unusual = [each for each in standing if not _is_usual(each.entity.name, earlier)]
    others = {each.entity: each for each in unusual if each.entity not in told}
    return [*accounts[-1:], *own, *others.values()]


def _results(bound: BoundRule, findings: Iterable[Finding]) -> list[Finding]:
    """The results that a rule rests on; of a score, the one that it repeats."""
    tests = (bound.rule.recheck,) if bound.is_score else bound.tests
    return [each for each in findings if any(tells_result(each, test) for test in tests)]


def _comparison_item(draft: Draft) -> Item:
    """The item about how two findings compare."""
    texts = {lang: comparison_words(draft, lang, as_item=True) for lang in LANGUAGES}
    sources = tuple(compared_slot(each).source for each in draft.findings)
    return Item(texts, sources, comparison_check(draft))
