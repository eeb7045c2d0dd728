"""The texts of a turn: its questions, gold answer and rubric, each item with its sources."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from string import Formatter
from typing import Any

from wardround.authoring.assist.facts.findings import Entity, Finding
from wardround.authoring.assist.facts.rules import LATEST, BoundRule
from wardround.authoring.assist.facts.scores import CODED, PERSONAL, TESTS, score_value
from wardround.authoring.assist.facts.sources import Briefed, Cited, Computed
from wardround.authoring.assist.planning.drafts import Draft, has_codes, is_told
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
    all_words,
    by,
    cause_words,
    order_items,
    order_wordings,
    order_words,
    when,
)
from wardround.authoring.assist.wording.rubric_items import Item
from wardround.authoring.assist.wording.wordings import (
    filled,
    finding_wordings,
    finding_words,
    listed,
    value_words,
    wordings,
)
from wardround.benchmarks.assist.tasks import LANGUAGES, Language
from wardround.ehr.terms.chinese import chinese
from wardround.ehr.terms.panels import panel_tests
from wardround.ehr.terms.result_limits import is_critical

_LOOKUP_ITEMS, _GATHERED_ITEMS, _MIXED_ITEMS = 3, 2, 3
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
    explicit = {lang: _question(draft, "explicit", lang, choice) for lang in LANGUAGES}
    question = {
        lang: _question(draft, draft.form or "explicit", lang, choice) for lang in LANGUAGES
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


def explicit_question(draft: Draft) -> str:
    """A draft's explicit question in English, in its first wording."""
    return _question(draft, "explicit", "en", 0.0)


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


def _question(draft: Draft, form: str, language: Language, choice: float) -> str:
    match draft.type:
        case "IL":
            texts = _lookup_texts(draft, form, language)
            return filled(_chosen(texts, choice), _draft_words(draft, language))
        case "DG":
            return _gathering(draft, form, language, choice)
        case "CR":
            return _reasoning(draft, form, language, choice)
        case "WU":
            table = order_wordings(draft, language)
            is_abstract = form == "explicit" and draft.form == "AE"
            texts = table.get("explicit_AE", table[form]) if is_abstract else table[form]
            return filled(_chosen(texts, choice), order_words(draft, language))


def _lookup_texts(draft: Draft, form: str, language: Language) -> Sequence[str]:
    """The wordings of a lookup; a fragment may only name another entity."""
    table = finding_wordings(draft.findings[0], language)
    texts: Sequence[str] = table["shown" if draft.rule else "ask"].get(form, ())
    if draft.echoed is not None and form == "PE":
        texts = wordings(language)["question"]["echo"]
    return texts


def _draft_words(draft: Draft, language: Language) -> dict[str, str]:
    """The words of a draft's first finding and entity, and the causes of the harm that it shows."""
    words = finding_words(draft.findings[0], language)
    words["name"] = _name(draft.findings[0].entity, language)
    if draft.rule:
        words["causes"] = cause_words(draft.rule, language)
        words["all"] = all_words(draft.rule, language)
    return words


def _gathering(draft: Draft, form: str, language: Language, choice: float) -> str:
    first = draft.findings[0]
    if form in ("AE", "explicit") and is_comparison(draft):
        texts = finding_wordings(first, language)["compared"][form]
        names = [_name(each.entity, language) for each in draft.findings]
        return filled(_chosen(texts, choice), {"names": listed(names, language)})
    told, counts = {entity for entity, _ in draft.omitted}, _item_counts(draft)
    phrases = []
    for each, count in zip(draft.findings, counts, strict=True):
        key = form if each.entity in told and form != "explicit" else "phrase"
        phrases.append(_gathered(each, key, count, language))
    if draft.rule:
        shown = finding_wordings(first, language)["shown"]
        key = "named" if form == "explicit" else "implied"
        text = shown[f"{key}_whole" if counts[0] > _GATHERED_ITEMS else key]
        phrases[0] = filled(text, _draft_words(draft, language))
    frame = _chosen(wordings(language)["question"]["DG"][form], choice)
    return filled(frame, {"phrases": listed(phrases, language)})


def is_comparison(draft: Draft) -> bool:
    """True if an abstract question compares the two findings of a turn."""
    return draft.type == "DG" and draft.form == "AE" and not draft.rule


def _reasoning(draft: Draft, form: str, language: Language, choice: float) -> str:
    frame = _chosen(wordings(language)["question"][_frame(draft.bound)][form], choice)
    return filled(frame, _reasoning_words(draft, form, language))


def _reasoning_words(draft: Draft, form: str, language: Language) -> dict[str, str]:
    """The words for the parts of a question about what follows from a rule."""
    bound = draft.bound
    omitted = [entity for entity, _ in draft.omitted]
    phrases = [
        _phrase(each, form if each.entity in omitted and form != "explicit" else "phrase", language)
        for each in draft.findings
    ]
    shown = [each.entity for each in draft.findings]
    named = [] if form == "explicit" else [e for e in draft.named if e not in shown]
    known = [e for e in dict.fromkeys(omitted) if e not in shown]
    new = listed([_name(entity, language) for entity in shown if entity.kind == "test"], language)
    drug = value_words(bound.drug, "drug", language)
    return {
        "evidence": listed(phrases, language),
        "drug": drug,
        "beside": value_words(bound.beside, "drug", language),
        "test": value_words(bound.rule.test, "test", language),
        "score": wordings(language)["score"].get(bound.rule.test, ""),
        "new": new,
        "of": _score_source(known, new, language),
        "under": _under(bound, known, form, language),
        "tests": listed(_inputs(bound, language), language),
        "known": _in_view([e for e in known if e.kind == "test"], language),
        "account": _account(draft, form, language),
        **_references(draft, known, named, form, language),
    }


def _references(
    draft: Draft, known: Sequence[Entity], named: Sequence[Entity], form: str, language: Language
) -> dict[str, str]:
    """The words for what a question leaves out, and for the rest that it names.

    Of two drugs that earlier turns told, one may be the evidence; the other is the earlier one.
    """
    table = wordings(language)["question"]
    omitted = [entity for entity, _ in draft.omitted]
    kinds = [e.kind for e in omitted if e.kind in table["that"]]
    drugs = [entity for entity in known if entity.kind == "drug"]
    that = "drug" if "drug" in kinds else next(iter(kinds), "drug")
    if form == "NA" and that == "test" and [entity.kind for entity in named] == ["drug"]:
        return {"that": _name(named[0], language), "named": table["named"]["result"]}
    words = "".join(_named(entity, language) for entity in named)
    if draft.bound.beside and not named and drugs:
        words = table["combined"].get(form, "")
        that = "named" if len(drugs) < len(draft.bound.entities) else that
    return {"that": table["that"][that], "named": words}


def _score_source(known: Sequence[Entity], new: str, language: Language) -> str:
    """The words for the results that a score is computed from, some of an earlier turn or none."""
    has_test = any(entity.kind == "test" for entity in known)
    text: str = wordings(language)["question"]["of"]["meant" if has_test else "new"]
    return text.format(new=new)


def _under(bound: BoundRule, known: Sequence[Entity], form: str, language: Language) -> str:
    """The words for the drug that a score is about; a fragment leaves out one that is known."""
    if not bound.drug:
        return ""
    is_known = form != "explicit" and Entity("drug", bound.drug) in known
    text: str = wordings(language)["question"]["under"]["meant" if is_known else "named"]
    is_left = is_known and form in ("PE", "AE")
    return "" if is_left else text.format(drug=value_words(bound.drug, "drug", language))


def _account(draft: Draft, form: str, language: Language) -> str:
    """The words for the patient's account, if an earlier turn heard it; explicit ones say it."""
    bound, table = draft.bound, wordings(language)["question"]
    if any(is_told(each, bound.drug) for each in draft.findings):
        return ""
    if form != "explicit":
        return str(table["account"])
    text: str = table["account_other" if bound.beside else "account_untaken"]
    return text.format(beside=value_words(bound.beside, "drug", language))


def _frame(bound: BoundRule) -> str:
    """The entry of the wordings for questions about a rule."""
    if bound.is_told:
        return "CR_told"
    if bound.is_score:
        return "CR_score" if bound.tests else "CR_coded"
    return "CR_pair" if bound.beside else "CR_drug" if bound.drug else "CR_test"


def _phrase(finding: Finding, key: str, language: Language) -> str:
    table = finding_wordings(finding, language)
    text = table.get(key) or table["phrase"]  # the gates turn back a name that should be left out
    return filled(text, finding_words(finding, language))


def _gathered(finding: Finding, key: str, count: int, language: Language) -> str:
    """A noun phrase for the values that a question about several findings asks for."""
    table = finding_wordings(finding, language)
    of_all = table.get("whole", {}).get(key) if count > _GATHERED_ITEMS else None
    text = of_all or table.get("gathered", {}).get(key) or table[key]
    return filled(text, finding_words(finding, language))


def _named(entity: Entity, language: Language) -> str:
    text: str = wordings(language)["question"]["named"][entity.kind]
    return text.format(name=_name(entity, language))


def _in_view(entities: Sequence[Entity], language: Language) -> str:
    """The words for what an explicit question rests on beside its new findings."""
    names = listed([_name(entity, language) for entity in entities], language)
    return str(wordings(language)["question"]["view"].format(names=names)) if names else ""


def _inputs(bound: BoundRule, language: Language) -> list[str]:
    """The names of a score's tests, and of the diagnoses if they are inputs too."""
    tests = [value_words(test, "test", language) for test in bound.tests]
    return [*tests, _name(Entity("stay"), language)] if bound.is_coded else tests


def _name(entity: Entity, language: Language) -> str:
    if entity.kind == "stay":
        return str(wordings(language)["question"]["diagnoses"])
    return value_words(entity.name, entity.kind, language)


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
        yield filled(text, _draft_words(draft, language))
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
        if _contains_recheck(bound):
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
    ranked = [_name(each.entity, language) for each in ranked_findings(draft)]
    outcome = "other" if ranked else "same"
    words = dict(zip(("earlier", "later"), ranked, strict=False))
    return filled(table[f"{outcome}_item" if as_item else outcome], words)


def _comparison_item(draft: Draft) -> Item:
    """The item about how two findings compare."""
    texts = {lang: _comparison(draft, lang, as_item=True) for lang in LANGUAGES}
    sources = tuple(compared_slot(each).source for each in draft.findings)
    return Item(texts, sources, comparison_check(draft))


def _contains_recheck(bound: BoundRule) -> bool:
    """True if a rule orders a panel that has the test which its advice repeats."""
    return bound.rule.action == "order" and bound.rule.recheck in panel_tests(bound.object)


def _items(
    draft: Draft, earlier: Sequence[Draft], score: Computed | None, unstopped: BoundRule | None
) -> Iterator[Item]:
    if draft.type != "CR":
        for finding, count in zip(draft.findings, _item_counts(draft), strict=True):
            yield from _finding_items(finding, count)
        if is_comparison(draft):
            yield _comparison_item(draft)
        return
    rule_items = list(_rule_items(draft.bound))
    rule_items[1:1] = list(_rule_items(unstopped))[:1] if unstopped else []
    found, more = (list(_reasoning_facts(draft, earlier, score, of_each)) for of_each in (1, 2))
    is_short = len(found) + len(rule_items) < _LEAST_ITEMS
    if is_short or len(more) + len(rule_items) <= _MOST_ITEMS:
        found = more
    found = found[: _MOST_ITEMS - _NEEDED_ITEMS]
    yield from found
    yield from rule_items[: _MOST_ITEMS - len(found)]


def _item_counts(draft: Draft) -> list[int]:
    """The number of items about each finding, which are the values that the question asks for.

    A finding of few values leaves its items to the others of its turn.
    """
    if draft.type == "IL":
        return [_LOOKUP_ITEMS]
    known = [len(_known_items(each)) for each in draft.findings]
    told = [each.call.tool.startswith("patient.") for each in draft.findings]
    counts = [
        min(count, _MIXED_ITEMS if of_patient else _GATHERED_ITEMS)
        for count, of_patient in zip(known, told, strict=True)
    ]
    least = _GATHERED_ITEMS * len(counts) + any(told)
    for number, count in enumerate(known):
        counts[number] += max(min(count - counts[number], least - sum(counts)), 0)
    return counts


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
        yield from _finding_items(finding, of_each)


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
    for number in _known_items(finding)[:most]:
        texts = {
            language: filled(items[number], _words(finding, language))
            for language, items in both.items()
        }
        names = _slots_of(both["en"][number])
        used = [finding.slots[name] for name in names if name in finding.slots]
        used = used or list(finding.slots.values())[:1]
        sources = tuple(slot.source for slot in used)
        yield Item(texts, sources, _check(finding, names))


def _known_items(finding: Finding) -> list[int]:
    """The numbers of the items whose values a finding has."""
    texts = finding_wordings(finding, "en")["items"]
    return [number for number, text in enumerate(texts) if _is_known(finding, text)]


def _is_known(finding: Finding, text: str) -> bool:
    """True if a finding has what an item states; few patients tell why they do not take a drug."""
    return "why" in finding.slots or "why" not in _slots_of(text)


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


def _rule_items(bound: BoundRule) -> Iterator[Item]:
    """The items about what follows: action and safety first.

    A panel has the test that the advice repeats, so it is one item with it.
    """
    rule = bound.rule
    fields = {"action": rule.action, "avoided": bound.avoided, "risk": rule.risk,
              "recheck": rule.recheck}  # fmt: skip
    if _contains_recheck(bound):
        del fields["recheck"]
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


def _slots_of(text: str) -> list[str]:
    return [name for _, name, _, _ in Formatter().parse(text) if name]


def _chosen(texts: Sequence[str], choice: float) -> str:
    return texts[int(choice * len(texts))]
