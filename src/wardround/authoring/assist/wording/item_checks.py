"""Typed checks of rubric items, made from the values and rules that the items are about."""

from collections.abc import Mapping, Sequence
from typing import Any, cast, get_args

from wardround.authoring.assist.facts.findings import Finding, Slot
from wardround.authoring.assist.facts.rules import BoundRule
from wardround.authoring.assist.facts.sources import Computed
from wardround.authoring.assist.facts.told_words import Part, told_words
from wardround.authoring.assist.planning.drafts import Draft
from wardround.benchmarks.assist.checks.decider import stored_check
from wardround.benchmarks.assist.checks.facts.items import FactItem
from wardround.benchmarks.assist.checks.items import Statement, Term, Wanted
from wardround.benchmarks.assist.checks.orders import OrderItem
from wardround.benchmarks.assist.sessions import LANGUAGES
from wardround.ehr.terms.chinese import TermKind, english

# The aspect that a value of a finding has, by the finding's kind and the value's name.
_ASPECTS: Mapping[tuple[str, str], str] = {
    ("lab_latest", "value"): "latest value",
    ("lab_latest", "flag"): "latest level",
    ("lab_latest", "day"): "latest day",
    ("lab_first", "value"): "first value",
    ("lab_first", "flag"): "first level",
    ("lab_first", "day"): "first day",
    ("lab_course", "direction"): "course",
    ("lab_course", "value"): "latest value",
    ("lab_course", "first"): "first value",
    ("vital_latest", "change"): "change",
    ("vital_latest", "value"): "latest value",
    ("vital_latest", "day"): "latest day",
    ("vital_value", "value"): "latest value",
    ("vital_value", "day"): "latest day",
    ("order", "ago"): "order ago",
    ("order", "dose"): "order dose",
    ("order", "route"): "order route",
    ("order", "day"): "order start",
    ("given", "ago"): "given ago",
    ("given", "dose"): "given dose",
    ("given", "route"): "given route",
    ("first_given", "dose"): "first given dose",
    ("first_given", "ago"): "first given ago",
    ("first_given", "route"): "first given route",
    ("main_diagnosis", "diagnosis"): "main diagnosis",
    ("main_diagnosis", "code"): "diagnosis code",
    ("main_diagnosis", "count"): "diagnosis count",
    ("past_diagnosis", "diagnosis"): "main diagnosis",
    ("past_diagnosis", "code"): "diagnosis code",
    ("past_diagnosis", "count"): "diagnosis count",
    ("admission", "day"): "admission day",
    ("admission", "ago"): "admission ago",
    ("admission", "admission"): "admission type",
    ("admission", "origin"): "admission origin",
    ("destination", "place"): "discharge place",
    ("destination", "day"): "discharge day",
    ("destination", "days"): "stay days",
    ("report", "exam"): "report exam",
    ("report", "day"): "report day",
    ("report", "diagnosis"): "report finding",
    ("complaint", "complaint"): "complaint",
    ("complaint", "ago"): "note ago",
    ("complaint", "ward"): "ward",
    ("complaint", "day"): "note day",
    ("person", "born"): "birth day",
    ("followup", "clinic"): "visit clinic",
    ("followup", "days"): "visit days",
    ("followup", "day"): "visit day",
    ("symptoms", "symptom"): "told complaint",
    ("symptoms", "timing"): "told timing",
    ("pain", "provocation"): "told provocation",
    ("social", "home"): "told home",
    ("social", "tobacco"): "told tobacco",
    ("social", "alcohol"): "told alcohol",
    ("function", "walking"): "told walking",
    ("function", "help"): "told help",
    ("symptoms", "severity"): "told severity",
    ("pain", "severity"): "told severity",
    ("social", "smoking"): "told smoking",
    ("function", "dependence"): "told dependence",
    ("adherence", "indication"): "told purpose",
    ("adherence", "why"): "told reason",
    ("other_drug", "indication"): "told purpose",
    ("other_drug", "other"): "home use",
}
# Values that say what an item is about, if it has others.
_ABOUT = ("test", "drug", "unit", "exam")
_SUBJECTS: tuple[TermKind, ...] = ("test", "drug")
# The words that checks have for actions in whose place others are right as well.
_ACCEPTED = {
    "replace": "give",
    "start": "give",
    "resupply": "give",
    "reduce": "lessen",
    "hold": "withhold",
}
# The field of a write that says what it is for.
_TEXTS = {"Flag.create": "detail", "ServiceRequest.create": "note"}


def finding_check(finding: Finding, names: Sequence[str]) -> Mapping[str, Any] | None:
    """The check of an item about some values of a finding; None if it is about no known aspect.

    Args:
        finding: the finding.
        names: the names of the values in the item.
    """
    about = [name for name in names if name not in _ABOUT] or list(names)[-1:]
    about = ["severity"] if "severity" in about else about
    aspect = _ASPECTS.get((finding.kind, about[0])) if about else None
    if aspect is None:
        return None
    slot = finding.slots[about[0]]
    subject = _subject(finding)
    if about[0] == "other":
        subject = _term("drug", str(slot.source.value))
    return _stored(FactItem(aspect=aspect, subject=subject, **_value(finding, about[0], slot)))


def critical_check(finding: Finding) -> Mapping[str, Any]:
    """The check of an item that says that a result is critical."""
    test = _term("test", finding.entity.name)
    english, chinese = (Statement(terms=(test,), words=(word,)) for word in ("critical", "危急"))
    return stored_check({"en": english, "zh": chinese})


def state_check(drug: str, state: str) -> Mapping[str, Any]:
    """The check of an item that says how a home drug is used.

    >>> state_check("lisinopril", "good")["en"]["word"]
    'good'
    """
    subject = Term(kind="drug", name=drug)
    return _stored(FactItem(aspect="home use", subject=subject, word=state))


def rule_check(bound: BoundRule, field: str) -> Mapping[str, Any] | None:
    """The check of an item about a field of a rule: risk, action, also, recheck or avoided."""
    rule = bound.rule
    match field:
        case "avoided" if bound.raised:
            drug = _term("drug", bound.raised)
            return _stored(
                FactItem(aspect="action", subject=drug, word="raise", forbidden=True, earned=True)
            )
        case "risk":
            return _stored(FactItem(aspect="risk", term=_term("diagnosis", rule.risk)))
        case "recheck":
            test = _term("test", rule.recheck)
            # No question asks when, but what is pressing is looked at today.
            within = None if bound.days else 0
            return _stored(FactItem(aspect="action", subject=test, word="repeat", within=within))
        case "avoided":
            drug = _term("drug", bound.avoided)
            return _stored(FactItem(aspect="avoided", subject=drug, forbidden=True, earned=True))
        case "also" if rule.also == "monitor":
            return _action(_term("service", "electrocardiogram"), "order")
        case "also":
            return _action(_term("drug", bound.drug), _action_word(rule.also))
        case _ if rule.action == "order":
            is_service = english(bound.object, "service") is not None
            return _action(_term("service" if is_service else "test", bound.object), "order")
        case _ if rule.action == "separate":
            return None
        case _:
            drug_name = bound.drug if rule.object == "" else bound.object
            return _action(_term("drug", drug_name), _action_word(rule.action))


def _action_word(action: str) -> str:
    """The word that checks have for what is done with a drug.

    Who stops a drug that is to be held for now does what matters today, as does who holds one that
    is to be reduced.
    """
    return _ACCEPTED.get(action, action)


def adding_check(drug: str, risk: str) -> Mapping[str, Any]:
    """The check of an item that says that a drug adds to a risk."""
    both = Statement(terms=(_term("drug", drug), _term("diagnosis", risk)))
    return stored_check(dict.fromkeys(LANGUAGES, both))


def order_check(draft: Draft, field: str) -> Mapping[str, Any]:
    """The check of an item about a field of what is written, or about what must not be."""
    arguments, bound = draft.write.arguments, draft.bound
    match field:
        case "kind":
            item = OrderItem(test="tool", names=(draft.write.tool,))
        case "avoided":
            item = OrderItem(test="none", names=(draft.refused,), earned=True)
        case "only":
            item = OrderItem(test="single", earned=True)
        case "service":
            item = OrderItem(test="subject", names=(str(arguments["service_type"]),))
        case "risk" if draft.write.tool == "Flag.create":
            item = OrderItem(test="subject", names=(bound.rule.risk,))
        case "risk":
            item = _text_item("note", _term("diagnosis", bound.rule.risk))
        case "drug" | "beside" if draft.write.tool in _TEXTS:
            causes = [bound.drug] if field == "drug" else draft.other_causes
            named = [_term("drug", name) for name in causes]
            item = _text_item(_TEXTS[draft.write.tool], *named)
        case "drug":
            item = OrderItem(test="subject", names=(str(arguments["medication"]),))
        case _:
            argument = {"days": "duration_days", "date": "target_date"}.get(field, field)
            unit = " day" if field == "days" else ""
            names = (f"{arguments[argument]}{unit}",)
            item = OrderItem(test="field", field=argument, names=names)
    return stored_check(dict.fromkeys(LANGUAGES, item))


def _text_item(field: str, *named: Term) -> OrderItem:
    return OrderItem(test="text", field=field, says=Statement(terms=named))


def _action(subject: Term, word: str) -> Mapping[str, Any]:
    return _stored(FactItem(aspect="action", subject=subject, word=word))


def _subject(finding: Finding) -> Term | None:
    """The test or drug that a finding is about."""
    for kind in _SUBJECTS:
        if finding.entity.kind == kind:
            return _term(kind, finding.entity.name)
    return None


def _term(kind: TermKind, name: str) -> Term:
    """A term by the name that readers of answers know it by."""
    return Term(kind=kind, name=english(name, kind) or name)


def _value(finding: Finding, name: str, slot: Slot) -> dict[str, Any]:
    """The value of a slot as the field of a fact."""
    value = slot.source.value
    match slot.wording:
        case "number":
            unit = finding.slots.get("unit") if name in ("value", "first") else None
            days = {"days": "day", "age": "year"}.get(name, "")
            return {"quantity": _wanted(f"{value:g}", str(unit.source.value) if unit else days)}
        case "dose":
            number, _, unit_name = str(value).partition(" ")
            return {"quantity": _wanted(number, unit_name)}
        case "day":
            return {"date": str(value)}
        case "ago":
            of = slot.source.of if isinstance(slot.source, Computed) else ()
            day = str(of[0].value)[: len("2180-01-01")] if of else ""
            return {"quantity": _wanted(f"{value:g}", "day"), "date": day}
        case "severity":
            return {"quantity": _wanted(str(value).split()[0], "points")}
        case "drug" if name == "other":
            return {"word": "taking"}
        case "drug":
            return {"word": "given"}
        case "text" | "direction" | "flag" | "sex" | "words":
            return {"word": str(value)}
        case part if part in get_args(Part):
            return {"word": told_words(str(value), part, "en")}
        case kind if kind in get_args(TermKind):
            return {"term": _term(cast("TermKind", kind), str(value))}
        case _:
            return {}


def _wanted(number: str, unit: str) -> Wanted:
    decimals = len(number.partition(".")[2])
    return Wanted(value=float(number), unit=english(unit, "unit") or unit, decimals=decimals)


def _stored(item: FactItem) -> Mapping[str, Any]:
    return stored_check(dict.fromkeys(LANGUAGES, item))
