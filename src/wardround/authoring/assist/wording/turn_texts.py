"""The texts of a turn: its questions, its gold answer, and its rubric with the sources of items."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from wardround.authoring.assist.facts.findings import Entity, Finding
from wardround.authoring.assist.facts.rules import LATEST, BoundRule
from wardround.authoring.assist.facts.scores import CODED, PERSONAL, TESTS, score_value
from wardround.authoring.assist.facts.sources import Briefed, Cited, Computed
from wardround.authoring.assist.planning.drafts import Draft, is_advised
from wardround.authoring.assist.planning.evidence import has_codes, is_told
from wardround.authoring.assist.wording.comparisons import (
    compared_slot,
    comparison_check,
    ranked_findings,
)
from wardround.authoring.assist.wording.item_checks import (
    finding_check,
    rule_check,
    state_check,
)
from wardround.authoring.assist.wording.order_texts import (
    by,
    order_items,
    order_wordings,
    order_words,
    when,
)
from wardround.authoring.assist.wording.questions import (
    draft_words,
    entity_name,
    is_comparison,
    item_counts,
    known_items,
    question_text,
    slots_of,
)
from wardround.authoring.assist.wording.rubric_items import Item
from wardround.authoring.assist.wording.wordings import (
    filled,
    finding_wordings,
    finding_words,
    value_words,
    wordings,
)
from wardround.benchmarks.assist.sessions import LANGUAGES, Language
from wardround.ehr.terms.chinese import chinese
from wardround.ehr.terms.result_limits import is_critical, result_limits

_LEAST_ITEMS, _MOST_ITEMS = 5, 6
_NEEDED_ITEMS = 3  # of a rule: what to do, what not to do, and the risk
_SPACE = {"en": " ", "zh": ""}


@dataclass(frozen=True, slots=True)
class TurnTexts:
    """The words of a turn, by language.

    Attributes:
        explicit: the explicit question.
        question: the implicit question; in the first turn the explicit one.
        answer: the gold answer.
        items: the rubric.
        writer: the language model that worded the questions; "" for the rules.
    """

    explicit: Mapping[Language, str]
    question: Mapping[Language, str]
    answer: Mapping[Language, str]
    items: tuple[Item, ...]
    writer: str = ""


def turn_texts(
    drafts: Sequence[Draft],
    number: int,
    day: str,
    random: Random,
    person: Sequence[Briefed] = (),
) -> TurnTexts:
    """The texts of the last of some placed turns.

    Args:
        drafts: the turns of the session, with the sources of their findings placed.
        number: the turn.
        day: the day of the session.
        random: chooses among wordings, the same in both languages.
        person: the patient's age and sex, as the session begins with them.
    """
    draft, earlier = drafts[number], drafts[:number]
    score, unstopped = _score(draft, earlier, person), _unstopped(drafts, number)
    choice = random.random()
    explicit = {lang: question_text(draft, "explicit", lang, choice) for lang in LANGUAGES}
    question = {
        lang: question_text(draft, draft.form or "explicit", lang, choice) for lang in LANGUAGES
    }
    if draft.type == "WU":
        items = tuple(order_items(draft, earlier, number, question, day))
    else:
        items = tuple(_items(draft, earlier, score, unstopped))
    answer = {
        lang: _SPACE[lang].join(_answer(draft, earlier, score, unstopped, lang))
        for lang in LANGUAGES
    }
    return TurnTexts(explicit, question, answer, items)


def reworded_texts(texts: TurnTexts, drafts: Sequence[Draft], number: int, day: str) -> TurnTexts:
    """Texts with other questions, which the items of an order then rest on.

    Args:
        texts: the texts of a turn.
        drafts: the turns of the session, with the sources of their findings placed.
        number: the turn.
        day: the day of the session.
    """
    if drafts[number].type != "WU":
        return texts
    items = order_items(drafts[number], drafts[:number], number, texts.question, day)
    return replace(texts, items=tuple(items))


def _unstopped(drafts: Sequence[Draft], number: int) -> BoundRule | None:
    """The rule against a bought drug that was told by a turn, and that no turn so far advises.

    Nobody who knows of the drug gives other advice and leaves it be.
    """
    told = [each for draft in drafts[: number + 1] for each in draft.findings]
    heard = {str(each.slots["other"].source.value) for each in told if "other" in each.slots}
    advised = [each.rule for each in drafts[: number + 1] if each.type in ("CR", "WU")]
    rules = [each.rule for each in drafts if each.rule and each.rule.is_told]
    return next((e for e in rules if e.opposed in heard and e not in advised), None)


def _answer(
    draft: Draft,
    earlier: Sequence[Draft],
    score: Computed | None,
    unstopped: BoundRule | None,
    language: Language,
) -> Iterator[str]:
    if draft.type == "WU":
        yield filled(order_wordings(draft, language)["answer"], order_words(draft, language))
        if draft.bound.opposed and not any(each.rule == draft.rule for each in earlier):
            yield _rule_sentence(draft.bound, "action", language)
        return
    if draft.rule and draft.type != "CR":
        text = finding_wordings(draft.findings[0], language)["shown"]["answer"]
        yield filled(text, draft_words(draft, language))
    for finding in (*draft.findings, *_evidence(draft, earlier)):
        yield filled(finding_wordings(finding, language)["answer"], _words(finding, language))
        if _is_critical(finding):
            yield wordings(language)["rule"]["critical"]
    if is_comparison(draft):
        yield _comparison(draft, language)
    if draft.type == "CR":
        if score:
            yield filled(wordings(language)["score"]["answer"], _score_words(score, language))
        bound = draft.bound
        yield _rule_sentence(bound, "risk", language)
        if bound.panel:
            yield _rule_sentence(bound, "again", language)
        else:
            yield _rule_sentence(bound, "action", language)
            yield _rule_sentence(bound, "recheck", language)
        if unstopped:
            yield _rule_sentence(unstopped, "action", language)


def _is_critical(finding: Finding) -> bool:
    """True for a latest result beyond a critical limit."""
    if finding.kind not in LATEST:
        return False
    return is_critical(finding.entity.name, float(finding.slots["value"].source.value))


def _comparison(draft: Draft, language: Language, *, as_item: bool = False) -> str:
    """The sentence on how two findings compare, or the item about it."""
    table = finding_wordings(draft.findings[0], language)["compared"]
    ranked = [entity_name(each.entity, language) for each in ranked_findings(draft)]
    outcome = "other" if ranked else "same"
    words = dict(zip(("earlier", "later"), ranked, strict=False))
    return filled(table[f"{outcome}_item" if as_item else outcome], words)


def _comparison_item(draft: Draft) -> Item:
    """The item about how two findings compare."""
    texts = {lang: _comparison(draft, lang, as_item=True) for lang in LANGUAGES}
    sources = tuple(compared_slot(each).source for each in draft.findings)
    return Item(texts, sources, comparison_check(draft))


def _items(
    draft: Draft, earlier: Sequence[Draft], score: Computed | None, unstopped: BoundRule | None
) -> Iterator[Item]:
    if draft.type != "CR":
        for finding, count in zip(draft.findings, item_counts(draft), strict=True):
            yield from _finding_items(finding, count)
        if is_comparison(draft):
            yield _comparison_item(draft)
        return
    rule_items = list(_rule_items(draft.bound, _ungraded(draft, earlier, unstopped)))
    rule_items[1:1] = list(_rule_items(unstopped))[:1] if unstopped else []
    found, more = (list(_reasoning_facts(draft, earlier, score, of_each)) for of_each in (1, 2))
    is_short = len(found) + len(rule_items) < _LEAST_ITEMS
    if is_short or len(more) + len(rule_items) <= _MOST_ITEMS:
        found = more
    found = found[: _MOST_ITEMS - _NEEDED_ITEMS - bool(unstopped)]
    yield from found
    yield from rule_items[: _MOST_ITEMS - len(found)]


def _reasoning_facts(
    draft: Draft, earlier: Sequence[Draft], score: Computed | None, of_each: int
) -> Iterator[Item]:
    """The items about the facts that a rule rests on: some of the chart and two of the patient."""
    told = [each for each in draft.findings if each.call.tool.startswith("patient.")]
    recorded = [each for each in draft.findings if each not in told]
    for finding in told:
        yield from _finding_items(finding, 2)
    if score:
        texts = {
            language: filled(wordings(language)["score"]["item"], _score_words(score, language))
            for language in LANGUAGES
        }
        yield Item(texts, (score,))
        recorded = recorded[:2]
    before = _evidence(draft, earlier)
    for finding in (*recorded, *before):
        yield from _finding_items(finding, _asked_values(finding, draft) or of_each)


def _asked_values(finding: Finding, draft: Draft) -> int:
    """The number of values that a question about what follows asks for; 0 if that is open.

    The question asks when an order began only if it rests on nothing else.
    """
    if "short" not in finding_wordings(finding, "en") or finding not in draft.findings:
        return 0
    return 2 if len(draft.findings) == 1 else 1


def _score(draft: Draft, earlier: Sequence[Draft], person: Sequence[Briefed]) -> Computed | None:
    """The score that a turn's rule is about, computed from the latest values of its tests.

    The codes of all diagnoses, and the patient's age and sex, are inputs of some scores.
    """
    if draft.type != "CR" or not draft.bound.is_score:
        return None
    name = draft.bound.rule.test
    findings = [each for turn in (*earlier, draft) for each in turn.findings]
    of: list[Any] = [
        next(each.slots["value"].source for each in reversed(findings) if _has_latest(each, test))
        for test in TESTS[name]
    ]
    if name in CODED:
        codes = next(each.slots["codes"].source for each in findings if has_codes(each))
        of += codes.of if isinstance(codes, Computed) else []
    of += person if name in PERSONAL else []
    values = [each.value for each in of]
    return Computed(name, tuple(of), score_value(name, values))  # type: ignore[arg-type]


def _has_latest(finding: Finding, test: str) -> bool:
    return finding.entity == Entity("test", test) and finding.kind in LATEST


def _score_words(score: Computed, language: Language) -> dict[str, str]:
    table = wordings(language)["score"]
    return {
        "score": table[score.function],
        "value": value_words(score.value, "number", language),
        "unit": table["units"].get(score.function, ""),
    }


def _evidence(draft: Draft, earlier: Sequence[Draft]) -> list[Finding]:
    """Findings of earlier turns that the turn's rule rests on: the last result and the account."""
    bound = draft.rule
    if draft.type != "CR" or not bound or bound.is_score:
        return []
    found = [finding for each in earlier for finding in each.findings]
    results = [each for each in found if any(_has_latest(each, test) for test in bound.tests)]
    accounts = [each for each in found if bound.is_told and is_told(each, bound.drug)]
    return [*accounts[-1:], *results[-1:]]


def _finding_items(finding: Finding, most: int) -> Iterator[Item]:
    both = {language: finding_wordings(finding, language)["items"] for language in LANGUAGES}
    for number in known_items(finding)[:most]:
        texts = {
            language: filled(items[number], _words(finding, language))
            for language, items in both.items()
        }
        names = slots_of(both["en"][number])
        used = [finding.slots[name] for name in names if name in finding.slots]
        used = used or list(finding.slots.values())[:1]
        sources = tuple(slot.source for slot in used)
        yield Item(texts, sources, _check(finding, names))


def _check(finding: Finding, names: Sequence[str]) -> Mapping[str, Any] | None:
    """The check of an item of a finding; a home drug has one that says how it is used."""
    if finding.kind == "adherence" and names[0] == "told_item":
        return state_check(finding.entity.name, str(finding.slots["state"].source.value))
    if finding.kind == "other_drug" and names == ["drug"]:
        return state_check(finding.entity.name, "good")
    return finding_check(finding, names) if names else None


def _words(finding: Finding, language: Language) -> dict[str, str]:
    """The words of a finding; those of the patient's dealings with a drug are sentences."""
    words = finding_words(finding, language)
    if finding.kind == "adherence":
        table = wordings(language)["adherence"]
        words["because"] = table["because"].format(**words) if "why" in words else ""
        texts = table[str(finding.slots["state"].source.value)]
        words |= {name: filled(text, words) for name, text in texts.items()}
    return words


def _rule_sentence(bound: BoundRule, text: str, language: Language) -> str:
    table, words = wordings(language), _rule_words(bound, language)
    if text == "again":
        return filled(table["action"]["order"]["again"], words)
    if text == "action":
        return filled(table["action"][bound.rule.action]["answer"], words)
    return filled(table["rule"][_risk(bound) if text == "risk" else text], words)


def _risk(bound: BoundRule) -> str:
    """The wording of a risk: of two drugs together, of one that is not acted on, or alone."""
    if bound.beside:
        return "risk_together"
    is_named = bound.drug in ("", bound.object) and bound.rule.action != "continue"
    is_named = is_named or bound.rule.action == "resupply"
    return "risk" if is_named else "risk_with"


def _ungraded(draft: Draft, earlier: Sequence[Draft], unstopped: BoundRule | None) -> Iterator[str]:
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
    if unstopped and unstopped.opposed == bound.avoided and not bound.raised:
        yield "avoided"


def _is_usual(test: str, turns: Sequence[Draft]) -> bool:
    """True if the last result of a test that turns found is within its usual limits."""
    found = [each for draft in turns for each in draft.findings if _has_latest(each, test)]
    limits = result_limits().get(test)
    if not found or not limits:
        return False
    return limits.is_usual(float(found[-1].slots["value"].source.value))


def _rule_items(bound: BoundRule, ungraded: Iterable[str] = ()) -> Iterator[Item]:
    """The items about what follows: action and safety first.

    Args:
        bound: the rule.
        ungraded: the fields without an item.
    """
    rule = bound.rule
    fields = {"action": rule.action, "avoided": bound.avoided, "risk": rule.risk,
              "recheck": rule.recheck}  # fmt: skip
    for field in ungraded:
        del fields[field]
    for field in fields:
        cited = "action" if field == "avoided" and bound.raised else field
        source = Cited(rule.name, cited, fields[cited])
        texts = {lang: _rule_item(bound, field, lang) for lang in LANGUAGES}
        yield Item(texts, (source,), rule_check(bound, field))


def _rule_item(bound: BoundRule, field: str, language: Language) -> str:
    table, words = wordings(language), _rule_words(bound, language)
    if field == "action":
        return filled(table["action"][bound.rule.action]["item"], words)
    name = {"risk": "risk_item", "recheck": "recheck_item",
            "avoided": "raise_item" if bound.raised else "avoid_item"}[field]  # fmt: skip
    return filled(table["rule"][name], words)


def _rule_words(bound: BoundRule, language: Language) -> dict[str, str]:
    rule = bound.rule
    own = bound.drug if rule.object == "" else bound.object
    return {
        "drug": value_words(own, "drug", language),
        "first": value_words(bound.drug, "drug", language),
        "beside": value_words(bound.beside, "drug", language),
        "object": _object_words(bound, language),
        "an_object": _with_article(bound, language),
        "risk": value_words(rule.risk, "diagnosis", language),
        "avoided": value_words(bound.avoided, "drug", language),
        "raised": value_words(bound.raised, "drug", language),
        "recheck": value_words(rule.recheck, "test", language),
        "when": when(bound.days, language),
        "by": by(bound.days, language),
    }


def _object_words(bound: BoundRule, language: Language) -> str:
    """The words for the drug, service or test that an action is about."""
    if bound.rule.action != "order":
        return value_words(bound.object, "drug", language)
    kind = "service" if chinese(bound.object, "service") else "test"
    return value_words(bound.object, kind, language)


def _with_article(bound: BoundRule, language: Language) -> str:
    """The words for a drug, service or test; an English service has its article."""
    words = _object_words(bound, language)
    if language == "zh" or bound.rule.action != "order" or not chinese(bound.object, "service"):
        return words
    return f"{'an' if words[0] in 'aeiou' else 'a'} {words}"
