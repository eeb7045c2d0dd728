"""The texts of a write turn: its question, gold answer, and rubric items, one a field."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wardround.authoring.assist.facts.findings import Entity, Finding, PlannedCall, Slot
from wardround.authoring.assist.facts.rules import BoundRule
from wardround.authoring.assist.facts.sources import Asked, Briefed, Cited, Computed, Source
from wardround.authoring.assist.planning.drafts import Draft
from wardround.authoring.assist.wording.item_checks import order_check
from wardround.authoring.assist.wording.rubric_items import Item
from wardround.authoring.assist.wording.wordings import filled, listed, value_words, wordings
from wardround.benchmarks.assist.sessions import LANGUAGES, Language

_WEEK, _WEEKS = 7, 2  # days of a week; weeks from which days are counted in weeks
_OF_ORDER = ("drug", "dose", "route", "frequency")


def order_wordings(draft: Draft, language: Language) -> Mapping[str, Any]:
    """The wordings of the write of a turn."""
    kind = {"ServiceRequest.create": "repeat", "Flag.create": "flag"}.get(draft.write.tool)
    if kind is None:
        kind = "resupply" if draft.bound.rule.action == "resupply" else "renewal"
    if draft.instead:
        kind = f"{kind}_else"
    texts: Mapping[str, Any] = wordings(language)["order"][kind]
    return texts


def order_words(draft: Draft, language: Language) -> dict[str, str]:
    """The words for the values of the write of a turn and of the one that may stand instead."""
    instead = _call_words(draft.instead, draft, language) if draft.instead else {}
    refused = {"avoided": value_words(draft.refused, "drug", language)}
    return instead | refused | _call_words(draft.write, draft, language)


def _call_words(write: PlannedCall, draft: Draft, language: Language) -> dict[str, str]:
    arguments, bound = write.arguments, draft.bound
    table = wordings(language)["words"]
    others = [value_words(name, "drug", language) for name in draft.other_causes]
    words = {
        "drug": value_words(bound.drug, "drug", language),
        "beside": listed(others, language),
        "risk": value_words(bound.rule.risk, "diagnosis", language),
    }
    match write.tool:
        case "ServiceRequest.create":
            return words | {
                "service": value_words(bound.rule.recheck, "test", language),
                "priority": table[arguments["priority"]],
                "date": str(arguments["target_date"]),
                "when": when(bound.days, language),
                "causes": cause_words(bound, language),
                "all": all_words(bound, language),
                "harm": shown_harm(bound, language),
            }
        case "Flag.create":
            names = [words["drug"], *others] if bound.drug else others
            harm = shown_harm(bound, language)
            meant = wordings(language)["question"]["meant_risk"]
            key = "drugs" if draft.meant_drugs else "pair" if bound.beside else "one"
            text = meant[key].format(harm=harm)
            cause = wordings(language)["order"]["flag"]["cause"]["several" if names[1:] else "one"]
            cause = cause.format(names=listed(names, language))
            return words | {"cause": cause, "harm": harm, "meant_risk": text}
        case _:
            return words | {
                "drug": value_words(str(arguments["medication"]), "drug", language),
                "dose": value_words(str(arguments["dose"]), "dose", language),
                "route": value_words(str(arguments["route"]), "route", language),
                "frequency": value_words(str(arguments["frequency"]), "frequency", language),
                "days": str(arguments["duration_days"]),
            }


def _harm_words(drugs: Sequence[str], risk: str) -> str:
    """The words for a risk without the drugs that an implicit question leaves out.

    >>> _harm_words(["digoxin", "furosemide"], "digoxin toxicity")
    'toxicity'
    """
    for drug in drugs:
        risk = risk.replace(drug, "").strip()
    return risk


def cause_words(bound: BoundRule, language: Language) -> str:
    """The words for the drugs and results that do harm together, or for a drug not taken."""
    table = wordings(language)["question"]
    drug = value_words(bound.drug, "drug", language)
    if bound.rule.action == "resupply":
        return str(table["untaken"].format(drug=drug))
    names = [drug, value_words(bound.beside, "drug", language)]
    names += [value_words(t, "test", language) for t in bound.tests if t != bound.measure]
    causes = str(table["with"]).join(name for name in names if name)
    together = str(table["together"] if bound.beside else "{causes}").format(causes=causes)
    return str(table["from"]).format(causes=together)


def all_words(bound: BoundRule, language: Language) -> str:
    """The words for what does harm together, without its names."""
    table = wordings(language)["question"]
    if bound.rule.action == "resupply":
        return str(table["lacking"])
    return str(table["both" if bound.drug and bound.beside else "all"])


def shown_harm(bound: BoundRule, language: Language) -> str:
    """The words for the harm that a result is to show, without the drugs that do it."""
    names = [value_words(name, "drug", language) for name in (bound.drug, bound.beside) if name]
    return _harm_words(names, value_words(bound.rule.risk, "diagnosis", language))


def when(days: int, language: Language) -> str:
    """The words for a day so many days ahead.

    >>> when(0, "en"), when(3, "zh"), when(42, "en")
    ('today', '3天后', 'in 6 weeks')
    """
    words = wordings(language)["words"]
    named = {0: words["today"], 1: words["tomorrow"]}
    if days >= _WEEKS * _WEEK and days % _WEEK == 0:
        return str(words["in_weeks"].format(weeks=days // _WEEK))
    return str(named.get(days) or words["in_days"].format(days=days))


def order_items(
    draft: Draft, earlier: Sequence[Draft], number: int, question: Mapping[Language, str], day: str
) -> Iterator[Item]:
    """The rubric items of a write turn, each with the source of its value.

    Args:
        draft: the turn.
        earlier: the turns before, with the sources of their findings placed.
        number: the turn.
        question: the implicit question.
        day: the day of the session.
    """
    sources: dict[str, list[Source]] = defaultdict(list)
    for field, source in _sources(draft, earlier, number, question, day):
        sources[field].append(source)
    both = {language: order_wordings(draft, language)["items"] for language in LANGUAGES}
    words = {language: order_words(draft, language) for language in LANGUAGES}
    for field in both["en"]:
        if field in sources:
            texts = {lang: filled(both[lang][field], words[lang]) for lang in LANGUAGES}
            yield Item(texts, tuple(sources[field]), order_check(draft, field))


def _sources(
    draft: Draft, earlier: Sequence[Draft], number: int, question: Mapping[Language, str], day: str
) -> Iterator[tuple[str, Source]]:
    """The source of each field's value: the question, the clock, an earlier turn or the rule."""
    bound, arguments = draft.bound, draft.write.arguments
    words = order_words(draft, "en")
    refused = _named(draft.refused, earlier)
    yield from [("avoided", refused.source)] if refused else [("only", _cited(bound, "action"))]
    match draft.write.tool:
        case "ServiceRequest.create":
            reasoned = [each for each in earlier if each.rule and each.rule.rule == bound.rule]
            if reasoned:  # the risk is why, and the note need not name its drugs
                yield "risk", _cited(bound, "risk")
            elif draft.form == "AE":  # which names the harm itself
                yield "risk", Asked(number, words["harm"], bound.rule.risk)
            else:
                yield from _drug_sources(draft, earlier)
            tested = _slot("test", Entity("test", bound.rule.recheck), earlier)
            days = Asked(number, words["when"], bound.days)
            dated = (Briefed("date", day), days)
            yield "service", tested.source if tested else _cited(bound, "recheck")
            yield "priority", Asked(number, words["priority"], arguments["priority"])
            yield "date", Computed("date", dated, arguments["target_date"])
        case "Flag.create":
            yield "risk", Asked(number, words["harm"], bound.rule.risk)
            yield "category", Asked(number, words_of("safety"), "safety")
            yield from _drug_sources(draft, earlier)
            kind = _kind_words(draft, question["en"])
            yield "kind", Asked(number, kind, draft.write.tool)
        case _:
            order = _ordered(Entity("drug", bound.drug), earlier)
            for field in _OF_ORDER:
                yield field, order.slots[field].source
            yield "days", Asked(number, words["days"], arguments["duration_days"])


def _drug_sources(draft: Draft, earlier: Sequence[Draft]) -> Iterator[tuple[str, Source]]:
    """The sources of the drugs of a write that earlier turns found, or their questions name."""
    causes = (("beside", name) for name in draft.other_causes)
    for field, name in (("drug", draft.bound.drug), *causes):
        slot = _named(name, earlier)
        if source := slot.source if slot else _asked(name, earlier):
            yield field, source


def _asked(drug: str, earlier: Sequence[Draft]) -> Asked | None:
    """The name of a drug in an earlier question whose turn found nothing about it."""
    entity = Entity("drug", drug)
    turns = (number for number, draft in enumerate(earlier) if entity in draft.named)
    number = next(turns, None) if drug else None
    return None if number is None else Asked(number, value_words(drug, "drug", "en"), drug)


def words_of(name: str) -> str:
    """An English word of the wordings."""
    return str(wordings("en")["words"][name])


def _cited(bound: BoundRule, field: str) -> Cited:
    return Cited(bound.rule.name, field, getattr(bound.rule, field))


def _kind_words(draft: Draft, question: str) -> str:
    """The words of a question that say which kind of entry is wanted; "" if it does not matter."""
    kind_wordings = order_wordings(draft, "en").get("kind", [])
    return next((words for words in kind_wordings if words in question.casefold()), "")


def _slot(name: str, entity: Entity, earlier: Sequence[Draft]) -> Slot | None:
    """The last value of a name that earlier turns found about an entity."""
    slots = [
        finding.slots[name]
        for draft in earlier
        for finding in draft.findings
        if finding.entity == entity and name in finding.slots
    ]
    return slots[-1] if slots else None


def _named(drug: str, earlier: Sequence[Draft]) -> Slot | None:
    """The name of a drug as an earlier turn found it, or as the patient told it."""
    if not drug:
        return None
    bought = [
        finding.slots["other"]
        for draft in earlier
        for finding in draft.findings
        if "other" in finding.slots and finding.slots["other"].source.value == drug
    ]
    return _slot("drug", Entity("drug", drug), earlier) or (bought[-1] if bought else None)


def _ordered(entity: Entity, earlier: Sequence[Draft]) -> Finding:
    """The last order of a drug that earlier turns found."""
    return [
        finding
        for draft in earlier
        for finding in draft.findings
        if finding.kind == "order" and finding.entity == entity
    ][-1]
