"""Rubric items of write turns: decided by what was written, field by field."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from wardround.benchmarks.assist.checks.clauses import Clause
from wardround.benchmarks.assist.checks.field_values import TIMES, term_state, value_state
from wardround.benchmarks.assist.checks.items import Statement, compile_statement
from wardround.benchmarks.assist.checks.lexicon import cue, is_negated, meanings
from wardround.benchmarks.assist.checks.risks import (
    diagnoses_in,
    drugs_in,
    is_denied,
    is_doubted,
)
from wardround.benchmarks.assist.checks.score_items import named_scores
from wardround.benchmarks.assist.checks.sentences import too_long
from wardround.benchmarks.assist.checks.statements import decide_statement
from wardround.benchmarks.assist.sessions import WRITES, Language
from wardround.benchmarks.kit.checks import Check, Finding
from wardround.core.verdict import State
from wardround.ehr.terms.chinese import TermKind, english, is_kind_of, plain
from wardround.ehr.terms.panels import panel_tests
from wardround.ehr.text.dates import days
from wardround.ehr.text.language import language_of
from wardround.ehr.text.mentions import mentions
from wardround.ehr.text.quantities import quantities
from wardround.ehr.text.segments import blanked

# The kind of term that each field holds; the words for fields are in cues.tsv.
_FIELDS: dict[str, TermKind | None] = {
    "dose": None,
    "route": "route",
    "frequency": "frequency",
    "duration_days": None,
    "priority": "priority",
    "category": "category",
    "target_date": None,
    "indication": None,
    "note": None,
    "detail": None,
}
_TEXTS = ("indication", "note", "detail")
_SUBJECTS = ("medication", "service_type", "code")
# Fields that a value of theirs names without a word for the field.
_NAMED_BY_VALUE: tuple[Literal["priority", "category"], ...] = ("priority", "category")
_BEST_FIRST: tuple[State, ...] = ("passed", "undecided", "failed")
_SUBJECT_KINDS: tuple[TermKind, ...] = ("drug", "service", "test", "diagnosis")
_ALTERNATIVES = re.compile(r"[（(](.+)[)）]\s*$")
_OR = re.compile(r",|、|;|\bor\b|或")
# Words of ordering before a name, and words after it.
_WRAPPING = re.compile(
    r"^(?:(?:orders?|creates?|prescribes?|places?|raises?|sets?|adds?|the|a|an|flag|order|request|for"
    r"|about|to|is|as)\s+)+|^(?:开具|建立|下达|创建|设置|设为|开立|关于|一项|一个|了|为)+"
    r"|的?(?:警示|检查|会诊|医嘱|标记)$",
    re.I,
)


class OrderItem(Check):
    """An item about what is written.

    Attributes:
        test: `subject` and `field`: a written resource has one of the names; `text`: a field says
            a statement; `tool`: it is written by this tool; `single`: exactly one is written;
            `none`: none of these is written; `most`: no field of that name is more.
        field: the argument of the tool.
        names: the accepted names.
        says: the statement about the text of a field.
        earned: it passes only beside another item of the turn that passes.
    """

    kind: Literal["order"] = "order"
    test: Literal["subject", "field", "text", "tool", "single", "none", "most"]
    field: str = ""
    names: tuple[str, ...] = ()
    says: Statement | None = None
    earned: bool = False


Arguments: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Written:
    """A write that was carried out."""

    tool: str
    arguments: Arguments


def compile_order(text: str, language: Language = "en") -> OrderItem | None:
    """The check of an item of a write turn; None for a sentence that names nothing of an order.

    >>> compile_order("The route is by mouth (PO or oral).")
    OrderItem(kind='order', test='field', field='route', names=('oral',), says=None, earned=False)
    >>> compile_order("没有开具华法林").test
    'none'
    """
    item = text.strip().rstrip(".。 ")
    if tool := next((tool for tool in WRITES if tool in item), None):
        return OrderItem(test="tool", names=(tool,))
    if cue("only one").search(item) or (is_negated(item) and cue("further").search(item)):
        return OrderItem(test="single")
    if refusal := cue("refuses an order").match(item):
        return OrderItem(test="none", names=_names(item[refusal.end() :].strip()))
    if is_negated(item):
        forbidden = _known_names(item)
        return OrderItem(test="none", names=forbidden) if forbidden else None
    if field := _field(item):
        return _field_item(field, item, language)
    for field in _NAMED_BY_VALUE:
        if names := _terms(item, field):
            return OrderItem(test="field", field=field, names=names)
    return _subject_item(item)


def _subject_item(item: str) -> OrderItem | None:
    """The check of an item about what is ordered; None where no name can be made out.

    An item that asks for an amount or frequency as well is no plain name.
    """
    amounts = [q for q in quantities(item) if q.unit]
    if all(q.unit in TIMES for q in amounts) and amounts and not _known_names(item):
        return _field_item("duration_days", item, "en")
    if amounts or mentions(item, "frequency"):
        return None
    is_order = _WRAPPING.match(_ALTERNATIVES.sub("", item)) is not None
    return OrderItem(test="subject", names=_names(item)) if is_order or _known_names(item) else None


def _known_names(text: str) -> tuple[str, ...]:
    """The drugs, services, tests and diagnoses in a text, or the word for medication."""
    kinds = cue("medication").search(text)
    return _terms(text, *_SUBJECT_KINDS) or ((kinds[0],) if kinds else ())


def _field_item(field: str, item: str, language: Language) -> OrderItem | None:
    """The check of an item about a field: terms, amounts, dates, or a statement about its text."""
    kind = _FIELDS[field]
    if field in _TEXTS:
        words = _field_cue(field).search(item)
        says = compile_statement(item[words.end() if words else 0 :].strip(), language)
        return OrderItem(test="text", field=field, says=says)
    if field == "target_date":
        names = tuple(sorted(days(item)))
    elif kind is None:
        names = tuple(f"{q.value:g} {q.unit}".strip() for q in quantities(item))
    else:
        names = _terms(item, kind)
    return OrderItem(test="field", field=field, names=names) if names else None


def _terms(text: str, *kinds: TermKind) -> tuple[str, ...]:
    """The terms of some kinds in a text, by their English names."""
    return tuple(dict.fromkeys(mention.name for mention in mentions(text, *kinds)))


def decide_order(item: OrderItem, written: Iterable[Written]) -> Finding:
    """Decides an item on what was written in its turn.

    Without any write, each item fails (as published).
    """
    writes = list(written)
    if not writes:
        return Finding("failed", "nothing was written")
    match item.test:
        case "tool":
            return _finding(any(w.tool in item.names for w in writes), "another tool was used")
        case "single":
            return _finding(len(writes) == 1, f"{len(writes)} resources were written")
        case "none":
            return _decide_none(item, writes)
        case "most":
            return _decide_most(item, writes)
        case "subject":
            return _decide_subject(item, writes)
        case "text":
            return _decide_text(item, writes)
        case "field":
            return _decide_field(item, writes)


def _decide_none(item: OrderItem, writes: Iterable[Written]) -> Finding:
    """Decides that none of some resources is written; one that stops its drug stays open."""
    wrong = [write for write in writes if _is_any(write, item.names)]
    if wrong and all(_is_stop(write.arguments) for write in wrong):
        return Finding("undecided", "the resource may stop what it names")
    return _finding(not wrong, "the resource was written")


def _is_stop(arguments: Arguments) -> bool:
    """True if a write says to stop its drug, or gives none of it.

    >>> _is_stop({"medication": "heparin - discontinue"}), _is_stop({"dose": "0 units"})
    (True, True)
    """
    amounts = quantities(str(arguments.get("dose", "")))
    is_nothing = bool(amounts) and all(each.value == 0 for each in amounts)
    return is_nothing or any(_stops(str(arguments.get(field, ""))) for field in _SUBJECTS)


def _stops(subject: str) -> bool:
    return not {"stop", "less"}.isdisjoint(meanings(subject))


def _decide_most(item: OrderItem, writes: Iterable[Written]) -> Finding:
    """Decides that no write has more than an amount in a field; other units stay open."""
    most = quantities(item.names[0])[0]
    given = [str(w.arguments[item.field]) for w in writes if w.arguments.get(item.field)]
    amounts = [next(iter(quantities(text)), None) for text in given]
    if not amounts:
        return Finding("failed", f"the order has no {item.field}")
    if any(each is None or each.unit != most.unit for each in amounts):
        return Finding("undecided", f"the {item.field} is in another unit")
    return _finding(all(each.value <= most.value for each in amounts if each), "it is more")


def _decide_subject(item: OrderItem, writes: Iterable[Written]) -> Finding:
    """Decides that a written resource has one of the names, and is about nothing else."""
    given = [subject for w in writes for subject in _given(w.arguments, item.names)]
    subjects = _named(given, item.names)
    if not subjects and any(_may_mean(each, item.names) for each in given):
        return Finding("undecided", "what is written is in words that are not understood")
    if not subjects:
        return Finding("failed", "no written resource has this name")
    if all(is_denied(each, item.names) for each in subjects):
        return Finding("failed", "the name is denied, or its risk is low")
    if all(_says_more(each, item.names) or is_doubted(each, item.names) for each in subjects):
        return Finding("undecided", "the name is denied or doubted, or is one of several")
    return Finding("passed")


def _says_more(subject: str, names: Sequence[str]) -> bool:
    """True if a subject denies or stops what it names, or names something beside it.

    >>> _says_more("stop warfarin", ["warfarin"]), _says_more("warfarin", ["warfarin"])
    (True, False)
    """
    is_stopped = _stops(subject)
    further = _further_terms(subject, names) or _is_unread_test(subject)
    return is_negated(subject) or is_stopped or bool(further)


def _is_unread_test(subject: str) -> bool:
    """True for a test beside a specimen, a score's name or unknown words, which make it another.

    >>> _is_unread_test("repeat serum creatinine"), _is_unread_test("creatinine clearance")
    (False, True)
    >>> _is_unread_test("24-hour urine creatinine")
    True
    """
    named = mentions(subject, "test")
    rest = blanked(subject, [each.span for each in (*named, *mentions(subject, "priority"))])
    is_other = named_scores(subject) or cue("other specimen").search(rest)
    return bool(named) and (is_other is not None or not Clause(rest).is_understood)


def _further_terms(subject: str, names: Sequence[str]) -> set[str]:
    """The terms of a subject beside some names.

    A drug beside a diagnosis is its cause, a diagnosis beside anything else is the reason for it.

    >>> _further_terms("creatinine, lactate", ["creatinine"])
    {'lactate'}
    >>> _further_terms("risk of bleeding from warfarin", ["bleeding"])
    set()
    """
    if _is_diagnosis(names):
        named = [(each, diagnoses_in(each)) for each in (subject, *names)]
        terms = [
            {each.name for each in found}
            | set(_terms(blanked(text, [each.span for each in found]), "service", "test"))
            for text, found in named
        ]
        return terms[0].difference(*terms[1:])
    kinds = [kind for kind in _SUBJECT_KINDS if kind != "diagnosis"]
    known = (set(_terms(name, *kinds)) | _tests(name) for name in names)
    return set(_terms(subject, *kinds)).difference(*known)


def _finding(passed: bool, reason: str) -> Finding:
    return Finding("passed") if passed else Finding("failed", reason)


def _decide_text(item: OrderItem, writes: Iterable[Written]) -> Finding:
    """Decides what the text of a field says."""
    texts = [str(w.arguments[item.field]) for w in writes if w.arguments.get(item.field)]
    if not texts or item.says is None:
        return Finding("failed", f"the order has no {item.field}")
    if unread := next(filter(None, map(too_long, texts)), ""):
        return Finding("undecided", f"{unread}, which no program reads")
    findings = [_decide_said(item.says, text) for text in texts]
    return next((f for f in findings if f.state == "passed"), findings[0])


def _decide_said(says: Statement, text: str) -> Finding:
    """Decides what one text says; a diagnosis whose risk it calls low is open."""
    finding = decide_statement(says, text, _language(text))
    diagnoses = [term.name for term in says.terms if term.kind == "diagnosis"]
    if finding.state == "passed" and diagnoses and is_denied(text, diagnoses):
        return Finding("undecided", "the risk may be called low")
    return finding


def _language(text: str) -> Language:
    return language_of(text) or "en"


def _field(text: str) -> str:
    return next((field for field in _FIELDS if _field_cue(field).search(text)), "")


def _field_cue(field: str) -> re.Pattern[str]:
    """The pattern of the words for a field."""
    return cue(f"field: {field}")


def _names(text: str) -> tuple[str, ...]:
    """The name in an item, and its alternatives in brackets."""
    alternatives = _ALTERNATIVES.search(text)
    rest = _ALTERNATIVES.sub("", text).strip()
    main = _WRAPPING.sub("", _WRAPPING.sub("", rest)).strip()
    listed = _OR.split(alternatives[1]) if alternatives else []
    names = (main, *listed, *_terms(rest, *_SUBJECT_KINDS))
    return tuple(dict.fromkeys(name.strip() for name in names if name.strip()))


def _given(arguments: Arguments, names: Iterable[str]) -> list[str]:
    """The subjects of a write; an order of a drug is about no diagnosis."""
    fields = [each for each in _SUBJECTS if each != "medication" or not _is_diagnosis(names)]
    return [str(arguments[field]) for field in fields if arguments.get(field)]


def _named(subjects: Iterable[str], names: Iterable[str]) -> list[str]:
    """The subjects that have one of the names."""
    return [value for value in subjects if any(_same_name(value, name) for name in names)]


def _may_mean(subject: str, names: Iterable[str]) -> bool:
    """True if a subject holds what a name means, or names nothing of its kind.

    A panel holds its tests, and a kind of bleeding is bleeding.

    >>> _may_mean("potassium problem", ["hyperkalemia"]), _may_mean("INR", ["hemoglobin"])
    (True, False)
    >>> _may_mean("CBC", ["hemoglobin"]), _may_mean("GI bleed", ["bleeding"])
    (True, True)
    """
    tests = {test for name in names for test in _tests(name)}
    panels = (panel_tests(each.name) for each in mentions(subject, "service"))
    if any(not tests.isdisjoint(panel) for panel in panels):
        return True
    if not _is_diagnosis(names):
        return not mentions(subject, *_SUBJECT_KINDS)
    named = {each.name for each in diagnoses_in(subject)}
    wider = {each.name for name in names for each in diagnoses_in(name)}
    return not named or any(is_kind_of(each, name) for each in named for name in wider)


def _is_diagnosis(names: Iterable[str]) -> bool:
    """True for names of diagnoses, and of no drug, which no order of a drug is about."""
    return any(mentions(name, "diagnosis") and not drugs_in(name) for name in names)


def _is_any(write: Written, names: Sequence[str]) -> bool:
    """True if a write matches the type of resource, the drug or the service of an item."""
    if cue("medication").search(names[0] if names else ""):
        return write.tool.startswith("MedicationRequest")
    return bool(_named(_given(write.arguments, names), names)) or _holds_any(write, names)


def _holds_any(write: Written, names: Iterable[str]) -> bool:
    """True if a medication holds all ingredients of one of some drugs: a mixture gives each of its.

    >>> _holds_any(Written("MedicationRequest.create", {"medication": "Bactrim"}), ["trimethoprim"])
    True
    """
    given = _ingredients(drugs_in(str(write.arguments.get("medication", ""))))
    wanted = [_ingredients([drug]) for name in names for drug in drugs_in(name)]
    return any(drug <= given for drug in wanted)


def _ingredients(drugs: Iterable[str]) -> frozenset[str]:
    return frozenset(each for drug in drugs for each in drug.split(" + "))


def _decide_field(item: OrderItem, writes: Iterable[Written]) -> Finding:
    """Decides that a field has one of the values; one that gives it and another is open."""
    states = {_field_state(str(w.arguments.get(item.field, "")), item) for w in writes}
    if "passed" in states or "undecided" not in states:
        return _finding("passed" in states, f"{item.field} is another")
    return Finding("undecided", f"{item.field} says more than that")


def _field_state(given: str, item: OrderItem) -> State:
    """The verdict on what a field holds."""
    kind = _FIELDS[item.field]
    if kind is not None:
        return term_state(given, kind, {english(name, kind) or plain(name) for name in item.names})
    states = {value_state(given, name) for name in item.names}
    return next((state for state in _BEST_FIRST if state in states), "failed")


def _same_name(given: str, wanted: str) -> bool:
    """True if two names are of one drug, diagnosis or test, or hold the same words.

    A drug in the name of a diagnosis is not an order of it; a drug beside a diagnosis is its cause.

    >>> _same_name("digoxin toxicity risk", "digoxin")
    False
    >>> _same_name("risk of acute kidney injury", "acute kidney failure")
    True
    >>> _same_name("bleeding from warfarin", "bleeding")
    True
    >>> _same_name("potassium chloride", "potassium")
    False
    >>> _same_name("复查血红蛋白", "hemoglobin"), _same_name("糖化血红蛋白", "hemoglobin")
    (True, False)
    >>> _same_name("INR", "inr"), _same_name("high K", "hyperkalemia")
    (True, True)
    """
    if service := english(wanted, "service"):
        return any(m.name == service for m in mentions(given, "service")) or _holds(given, wanted)
    drugs = [drugs_in(text) for text in (given, wanted)]
    if drugs[1]:
        return bool(drugs[0] & drugs[1])
    diagnoses = [{m.name for m in diagnoses_in(text)} for text in (given, wanted)]
    if diagnoses[0] & diagnoses[1] or drugs[0]:
        return bool(diagnoses[0] & diagnoses[1])
    tests = [_tests(text) for text in (given, wanted)]
    return bool(tests[0] & tests[1]) if tests[1] else _holds(given, wanted)


def _tests(text: str) -> set[str]:
    """The tests that a text names, in any case if it is a name."""
    name = english(text, "test")
    return {name} if name else {mention.name for mention in mentions(text, "test")}


def _holds(given: str, wanted: str) -> bool:
    """True if a name is another, or holds all of its words."""
    services = [english(text, "service") or plain(text).strip() for text in (given, wanted)]
    left, right = (set(re.findall(r"[a-z]+|[\u4e00-\u9fff]", text)) for text in services)
    return services[0] == services[1] or (bool(right) and right <= left)
