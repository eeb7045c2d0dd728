"""Rubric items of write turns: decided by what was written, field by field."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

from wardround.benchmarks.assist.checks.model import Finding
from wardround.benchmarks.assist.checks.quantities import quantities, same
from wardround.benchmarks.assist.tasks import WRITES
from wardround.ehr.terms.chinese import TermKind, english, mentions, plain

_CONFIG = ConfigDict(frozen=True, extra="forbid", defer_build=True)
# Fields by the words for them, and the kind of term that each holds.
_FIELDS: dict[str, tuple[str, TermKind | None]] = {
    "dose": ("dose|剂量", None),
    "route": ("route|途径", "route"),
    "frequency": ("frequency|频率|频次", "frequency"),
    "duration_days": ("duration|疗程|天数", None),
    "priority": ("priority|优先级", "priority"),
    "category": ("category|类别", "category"),
    "target_date": ("date|日期", None),
}
_SUBJECTS = ("medication", "service_type", "code")
_FIELD = re.compile(
    r"^(?:the )?(?P<field>[a-z ]+?) is (?P<value>.+)$|^(?P<name>[^为]{2,4})为(?P<zh>.+)$", re.I
)
_ORDERS = re.compile(r"^(?:orders?|creates?|prescribes?|开具|建立|下达)", re.IGNORECASE)
_FORBIDS = re.compile(r"^(?:does not|没有)", re.IGNORECASE)
_ONLY = re.compile(r"\bexactly one\b|\bonly one\b|只(?:写|开)?一", re.IGNORECASE)
_ALTERNATIVES = re.compile(r"[（(](.+)[)）]\s*$")
_OR = re.compile(r",|、|;|\bor\b|或")
_WRAPPING = re.compile(r"^(?:a |an |the |about |flag about )+|^关于|(?:的警示|检查|会诊)$", re.I)


class OrderItem(BaseModel):
    """An item about what is written.

    Attributes:
        test: `subject` and `field`: a written resource has one of the names; `tool`: it is written
            by this tool; `single`: exactly one is written; `none`: none of these is written.
        field: the argument of the tool.
        names: the accepted names.
    """

    model_config = _CONFIG
    kind: Literal["order"] = "order"
    test: Literal["subject", "field", "tool", "single", "none"]
    field: str = ""
    names: tuple[str, ...] = ()


Arguments: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Written:
    """A write that was carried out."""

    tool: str
    arguments: Arguments


def compile_order(text: str) -> OrderItem | None:
    """The check of an item of a write turn; None for a sentence of another form.

    >>> compile_order("The route is by mouth (PO or oral)")
    OrderItem(kind='order', test='field', field='route', names=('by mouth', 'PO', 'oral'))
    >>> compile_order("没有开具华法林")
    OrderItem(kind='order', test='none', field='', names=('华法林',))
    """
    if tool := next((tool for tool in WRITES if tool in text), None):
        return OrderItem(test="tool", names=(tool,))
    if _ONLY.search(text):
        return OrderItem(test="single")
    if _FORBIDS.match(text):
        return OrderItem(test="none", names=_names(_FORBIDS.sub("", text).strip()))
    if _ORDERS.match(text):
        return OrderItem(test="subject", names=_names(text))
    if (match := _FIELD.match(text)) and (field := _field(match["field"] or match["name"])):
        return OrderItem(test="field", field=field, names=_names(match["value"] or match["zh"]))
    return None


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
            wrong = any(_is_one(w, item.names) for w in writes)
            return _finding(not wrong, "the resource was written")
        case "subject":
            named = any(_has_subject(w.arguments, item.names) for w in writes)
            return _finding(named, "no written resource has this name")
        case "field":
            right = any(_has_field(w.arguments, item) for w in writes)
            return _finding(right, f"{item.field} is another")


def _finding(passed: bool, reason: str) -> Finding:
    return Finding("passed") if passed else Finding("failed", reason)


def _field(words: str) -> str:
    for field, (pattern, _) in _FIELDS.items():
        if re.search(pattern, words, re.IGNORECASE):
            return field
    return ""


def _names(text: str) -> tuple[str, ...]:
    """The name in an item, and its alternatives in brackets."""
    alternatives = _ALTERNATIVES.search(text)
    rest = _ALTERNATIVES.sub("", text)
    main = _WRAPPING.sub("", _ORDERS.sub("", rest.strip()).strip()).strip()
    listed = _OR.split(alternatives[1]) if alternatives else []
    return tuple(dict.fromkeys(name.strip() for name in (main, *listed) if name.strip()))


def _has_subject(arguments: Arguments, names: Iterable[str]) -> bool:
    given = [str(arguments[name]) for name in _SUBJECTS if arguments.get(name)]
    return any(_same_name(value, name) for value in given for name in names)


def _is_one(write: Written, names: Iterable[str]) -> bool:
    """True if a write is of what is named: a kind of resource, or a drug or service."""
    kinds = "|".join(names)
    if re.search(r"\bmedication\b|drug|药物|药品", kinds):
        return write.tool.startswith("MedicationRequest")
    return _has_subject(write.arguments, names)


def _has_field(arguments: Arguments, item: OrderItem) -> bool:
    given, kind = arguments.get(item.field), _FIELDS[item.field][1]
    if given is None:
        return False
    if kind is not None:
        accepted = {english(name, kind) or plain(name) for name in item.names}
        return (english(str(given), kind) or plain(str(given))) in accepted
    return any(_same_value(str(given), name) for name in item.names)


def _same_value(given: str, wanted: str) -> bool:
    left, right = quantities(given), quantities(wanted)
    if left and right:
        return same(left[0], right[0]) is not False
    return plain(given).strip() == plain(wanted).strip()


def _same_name(given: str, wanted: str) -> bool:
    """True if two names are of one drug, or hold the same words."""
    drugs = [{m.english for m in mentions(text, "drug")} for text in (given, wanted)]
    if any(drugs):
        return bool(drugs[0] & drugs[1])
    services = [english(text, "service") or plain(text).strip() for text in (given, wanted)]
    left, right = (set(re.findall(r"[a-z]+|[\u4e00-\u9fff]", text)) for text in services)
    return services[0] == services[1] or (bool(right) and right <= left)
