"""The texts of a turn: its questions, gold answer and rubric, each item with its sources."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from string import Formatter
from typing import Any

from wardround.authoring.assist.drafts import BoundRule, Draft
from wardround.authoring.assist.findings import Entity, Finding, PlannedCall
from wardround.authoring.assist.item_checks import finding_check, rule_check, state_check
from wardround.authoring.assist.sources import Asked, Cited, Source
from wardround.authoring.assist.wordings import (
    filled,
    finding_wordings,
    finding_words,
    listed,
    together,
    value_words,
    wordings,
)
from wardround.benchmarks.assist.tasks import LANGUAGES, Language

_LOOKUP_ITEMS, _GATHERED_ITEMS, _MIXED_ITEMS = 3, 2, 3


@dataclass(frozen=True, slots=True)
class Item:
    """A rubric item.

    Attributes:
        texts: its words by language.
        sources: where its values come from.
        check: its stored check; None if its sentence is compiled.
    """

    texts: Mapping[Language, str]
    sources: tuple[Source, ...]
    check: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class TurnTexts:
    """The words of a turn, by language.

    Attributes:
        explicit: the explicit question.
        question: the implicit question; in the first turn the explicit one.
        answer: the gold answer.
        items: the rubric.
    """

    explicit: Mapping[Language, str]
    question: Mapping[Language, str]
    answer: Mapping[Language, str]
    items: tuple[Item, ...]


def turn_texts(drafts: Sequence[Draft], number: int, random: Random) -> TurnTexts:
    """The texts of the last of some placed turns.

    Args:
        drafts: the turns of the session, with the sources of their findings placed.
        number: the turn.
        random: chooses among wordings, the same in both languages.
    """
    draft, earlier = drafts[number], drafts[:number]
    choice = random.random()
    explicit = {lang: _question(draft, "explicit", lang, choice) for lang in LANGUAGES}
    question = {
        lang: _question(draft, draft.form or "explicit", lang, choice) for lang in LANGUAGES
    }
    items = tuple(_items(draft, earlier, number))
    answer = {lang: " ".join(_answer(draft, earlier, lang)) for lang in LANGUAGES}
    return TurnTexts(explicit, question, answer, items)


def _question(draft: Draft, form: str, language: Language, choice: float) -> str:
    match draft.type:
        case "IL":
            texts = finding_wordings(draft.findings[0], language)["ask"][form]
            return filled(_chosen(texts, choice), finding_words(draft.findings[0], language))
        case "DG":
            return _gathering(draft, form, language, choice)
        case "CR":
            return _reasoning(draft, form, language, choice)
        case "WU":
            texts = _order(draft, language)[form]
            return filled(_chosen(texts, choice), _order_words(draft, language))


def _gathering(draft: Draft, form: str, language: Language, choice: float) -> str:
    first, *others = draft.findings
    if form == "AE":
        name = together(frozenset(each.kind for each in draft.findings))
        texts = (wordings(language)["together"][name]["ask"] if name
                 else finding_wordings(first, language)["ask"]["AE"])  # fmt: skip
        return str(_chosen(texts, choice))
    key = "phrase" if form == "explicit" else form
    phrases = [_phrase(first, key, language), *(_phrase(e, "phrase", language) for e in others)]
    frame = _chosen(wordings(language)["question"]["DG"][form], choice)
    return filled(frame, {"phrases": listed(phrases, language)})


def _reasoning(draft: Draft, form: str, language: Language, choice: float) -> str:
    bound, evidence = _bound(draft), draft.findings[0]
    frame = "CR_pair" if bound.beside else "CR_drug" if bound.drug else "CR_test"
    is_named = evidence.entity not in [entity for entity, _ in draft.omitted]
    key = "phrase" if form == "explicit" or (is_named and form != "AE") else form
    named = "".join(_named(entity, language) for entity in draft.named)
    values = {
        "evidence": _phrase(evidence, key, language),
        "drug": value_words(bound.drug, "drug", language),
        "beside": value_words(bound.beside, "drug", language),
        "test": value_words(bound.rule.test, "test", language),
        "named": named if form != "explicit" else "",
    }
    return filled(_chosen(wordings(language)["question"][frame][form], choice), values)


def _phrase(finding: Finding, key: str, language: Language) -> str:
    return filled(finding_wordings(finding, language)[key], finding_words(finding, language))


def _named(entity: Entity, language: Language) -> str:
    text: str = wordings(language)["question"]["named"][entity.kind]
    return text.format(name=value_words(entity.name, entity.kind, language))


def _answer(draft: Draft, earlier: Sequence[Draft], language: Language) -> Iterator[str]:
    if draft.type == "WU":
        yield filled(_order(draft, language)["answer"], _order_words(draft, language))
        return
    for finding in (*draft.findings, *_evidence(draft, earlier)):
        yield filled(finding_wordings(finding, language)["answer"], _words(finding, language))
    if draft.rule:
        for text in ("risk", "action", "recheck"):
            yield from _rule_sentence(draft.rule, text, language)


def _items(draft: Draft, earlier: Sequence[Draft], number: int) -> Iterator[Item]:
    if draft.type == "WU":
        yield from _order_items(draft, number)
        return
    most = {"IL": _LOOKUP_ITEMS, "CR": 1}.get(draft.type, _GATHERED_ITEMS)
    if draft.source == "mixed" and draft.type == "DG":
        most = _MIXED_ITEMS
    for finding in draft.findings:
        is_told = finding.call.tool.startswith("patient.")
        yield from _finding_items(finding, 2 if is_told and draft.type == "CR" else most)
    for finding in _evidence(draft, earlier):
        yield from _finding_items(finding, 1)
    if draft.rule:
        yield from _rule_items(draft.rule)


def _evidence(draft: Draft, earlier: Sequence[Draft]) -> list[Finding]:
    """The last finding of an earlier turn about a drug or test of the turn's rule."""
    if not draft.rule:
        return []
    found = [
        finding
        for each in earlier
        for finding in each.findings
        if finding.entity in draft.rule.entities and not finding.call.tool.startswith("patient.")
    ]
    return found[-1:]


def _finding_items(finding: Finding, most: int) -> Iterator[Item]:
    both = {language: finding_wordings(finding, language)["items"] for language in LANGUAGES}
    for number in range(min(most, len(both["en"]))):
        texts = {
            language: filled(items[number], _words(finding, language))
            for language, items in both.items()
        }
        names = _slots_of(both["en"][number])
        used = [finding.slots[name] for name in names if name in finding.slots]
        used = used or list(finding.slots.values())[:1]
        sources = tuple(slot.source for slot in used)
        yield Item(texts, sources, _check(finding, number, names))


def _check(finding: Finding, number: int, names: Sequence[str]) -> Mapping[str, Any] | None:
    """The check of an item of a finding; a home drug has an item that denies another use."""
    if finding.kind == "adherence":
        state = str(finding.slots["state"].source.value)
        return state_check(finding.entity.name, state, denied=number > 0)
    return finding_check(finding, names)


def _words(finding: Finding, language: Language) -> dict[str, str]:
    """The words of a finding; those of the patient's dealings with a drug are sentences."""
    words = finding_words(finding, language)
    if finding.kind == "adherence":
        texts = wordings(language)["adherence"][str(finding.slots["state"].source.value)]
        words |= {name: filled(text, words) for name, text in texts.items()}
    return words


def _rule_sentence(bound: BoundRule, text: str, language: Language) -> Iterator[str]:
    table, words = wordings(language), _rule_words(bound, language)
    if text == "action":
        yield filled(table["action"][bound.rule.action]["answer"], words)
    elif text == "recheck" or bound.rule.risk:
        yield filled(table["rule"][text], words)


def _rule_items(bound: BoundRule) -> Iterator[Item]:
    rule = bound.rule
    fields = {"risk": rule.risk, "action": rule.action, "recheck": rule.recheck,
              "avoided": rule.avoided}  # fmt: skip
    for field, value in fields.items():
        if value:
            source = Cited(rule.name, field, value)
            texts = {lang: _rule_item(bound, field, lang) for lang in LANGUAGES}
            yield Item(texts, (source,), rule_check(bound, field))


def _rule_item(bound: BoundRule, field: str, language: Language) -> str:
    table, words = wordings(language), _rule_words(bound, language)
    if field == "action":
        return filled(table["action"][bound.rule.action]["item"], words)
    name = {"risk": "risk_item", "recheck": "recheck_item", "avoided": "avoid_item"}[field]
    return filled(table["rule"][name], words)


def _rule_words(bound: BoundRule, language: Language) -> dict[str, str]:
    rule = bound.rule
    kind = "service" if rule.action == "order" else "drug"
    own = bound.drug if rule.object == "" else bound.object
    return {
        "drug": value_words(own, "drug", language),
        "object": value_words(bound.object, kind, language),
        "risk": value_words(rule.risk, "diagnosis", language),
        "avoided": value_words(rule.avoided, "drug", language),
        "recheck": value_words(rule.recheck, "test", language),
        "when": _when(rule.days, language),
    }


def _when(days: int, language: Language) -> str:
    words = wordings(language)["words"]
    return str(words["tomorrow"] if days == 1 else words["in_days"].format(days=days))


def _order(draft: Draft, language: Language) -> Mapping[str, Any]:
    kind = _write(draft).tool.partition(".")[0]
    found: Mapping[str, Any] = wordings(language)["order"][kind]
    return found


def _order_words(draft: Draft, language: Language) -> dict[str, str]:
    arguments = _write(draft).arguments
    table = wordings(language)["words"]
    match _write(draft).tool:
        case "ServiceRequest.create":
            rule = _bound(draft).rule
            return {
                "service": value_words(rule.recheck, "test", language),
                "priority": table[arguments["priority"]],
                "date": str(arguments["target_date"]),
                "when": _when(rule.days, language),
            }
        case "Flag.create":
            bound = _bound(draft)
            drugs = [bound.drug, *([bound.beside] if bound.beside else [])]
            return {
                "risk": value_words(bound.rule.risk, "diagnosis", language),
                "drug": value_words(bound.drug, "drug", language),
                "cause": listed([value_words(d, "drug", language) for d in drugs], language),
            }
        case _:
            return {
                "drug": value_words(str(arguments["medication"]), "drug", language),
                "dose": str(arguments["dose"]),
                "route": value_words(str(arguments["route"]), "route", language),
                "frequency": value_words(str(arguments["frequency"]), "frequency", language),
                "days": str(arguments["duration_days"]),
                "avoided": value_words(_AVOIDED, "drug", language),
            }


# A drug that no renewal is about.
_AVOIDED = "morphine"


def _order_items(draft: Draft, number: int) -> Iterator[Item]:
    both = {language: _order(draft, language)["items"] for language in LANGUAGES}
    words = {language: _order_words(draft, language) for language in LANGUAGES}
    source = Asked(number, "", "")
    for place in range(len(both["en"])):
        texts = {language: filled(both[language][place], words[language]) for language in LANGUAGES}
        yield Item(texts, (source,))


def _bound(draft: Draft) -> BoundRule:
    if not draft.rule:
        raise ValueError("A turn without a rule has no reasoning to word.")
    return draft.rule


def _write(draft: Draft) -> PlannedCall:
    if not draft.order:
        raise ValueError("A turn without an order has no write to word.")
    return draft.order


def _slots_of(text: str) -> list[str]:
    return [name for _, name, _, _ in Formatter().parse(text) if name]


def _chosen(texts: Sequence[str], choice: float) -> str:
    return texts[int(choice * len(texts))]
