"""Compiles a sentence about an order into checks of its fields."""

from collections.abc import Iterator, Sequence

from wardround.benchmarks.assist.checks.model import (
    AllOf,
    AnyOf,
    FieldText,
    GoldOrder,
    LeafCheck,
    Not,
    OnlyOrder,
    Order,
    OrderField,
)
from wardround.benchmarks.assist.checks.orders import AMOUNTS, KINDS, TEXTS, same_term
from wardround.benchmarks.assist.checks.quantities import quantities
from wardround.benchmarks.assist.checks.reading import Mark, Reading, read
from wardround.benchmarks.assist.checks.statement_grammar import (
    amount_of,
    is_negative,
    statement_check,
)
from wardround.benchmarks.assist.checks.words import members
from wardround.ehr.terms.conversions import unit_named

_BY_KIND = {"drug": "medication", "route": "route", "frequency": "frequency",
            "priority": "priority", "category": "category", "service": "service_type",
            "test": "service_type"}  # fmt: skip
_DOSES = ("mass", "amount", "charge", "dose units", "tablets", "capsules", "puffs", "volume")
_DAYS = ("time", "months")


def order_check(item: str, gold: dict[str, str]) -> LeafCheck:
    """The check of an item about an order.

    The state of the gold fulfils each of its items; of another state the fields that the item
    names decide, and an item that names none stays undecided.

    Args:
        item: the item's sentence.
        gold: the fields of the gold's order.
    """
    reading = read(item)
    if is_negative(reading):
        return _negative(reading, gold)
    fields = list(_fields(reading, gold))
    return _all(fields) if fields else GoldOrder()


def _all(checks: Sequence[LeafCheck]) -> LeafCheck:
    return checks[0] if len(checks) == 1 else AllOf(checks=tuple(checks))


def _negative(reading: Reading, gold: dict[str, str]) -> LeafCheck:
    """The check of something that must not be written; what the gold writes is not meant."""
    found = [*_forbidden(reading, gold)]
    if found:
        wrong: LeafCheck = found[0] if len(found) == 1 else AnyOf(checks=tuple(found))
        return Not(check=wrong)
    return OnlyOrder() if reading.named("extra") or reading.named("order") else GoldOrder()


def _forbidden(reading: Reading, gold: dict[str, str]) -> Iterator[LeafCheck]:
    for mark in reading.marks:
        field = _BY_KIND.get(mark.kind)
        if mark.kind == "class":
            yield OrderField(field="medication", values=tuple(sorted(members(mark.names[0]))))
        elif field and not _is_gold(field, mark.names[0], gold):
            yield OrderField(field=field, values=mark.names)
        elif mark.quantity:
            name = _amount_field(mark)
            amount = amount_of(mark.quantity)
            if name and (amount.bound or not _in_gold(mark, gold.get(name, ""))):
                yield OrderField(field=name, amounts=(amount,))


def _is_gold(field: str, value: str, gold: dict[str, str]) -> bool:
    return field in gold and same_term(value, gold[field], KINDS.get(field))


def _in_gold(mark: Mark, value: str) -> bool:
    return any(mark.quantity and q.value == mark.quantity.value for q in quantities(value))


def _fields(reading: Reading, gold: dict[str, str]) -> Iterator[LeafCheck]:
    """The fields that an item names, by the values it gives for them."""
    if reading.named("order"):
        yield Order(tool=reading.named("order")[0].name)
    text = _text_field(reading, gold)
    if text:
        check = statement_check(reading.text)
        yield FieldText(field=text, check=check) if check else GoldOrder()
        return
    named: dict[str, list[str]] = {}
    for mark in reading.marks:
        field = _BY_KIND.get(mark.kind)
        if field in gold and not mark.negated and field is not None:
            named.setdefault(field, []).extend(mark.names)
    for field, values in named.items():
        yield OrderField(field=field, values=tuple(dict.fromkeys(values)))
    for name in AMOUNTS:
        amounts = [m for m in reading.of("quantity") if _amount_field(m) == name and not m.negated]
        if name in gold and amounts:
            every = tuple(amount_of(m.quantity) for m in amounts if m.quantity)
            yield OrderField(field=name, amounts=every)
    dates = [mark.day for mark in reading.of("day") if mark.day and mark.day.year]
    if "target_date" in gold and dates:
        wanted = tuple(f"{d.year:04d}-{d.month or 0:02d}-{d.day or 0:02d}" for d in dates)
        yield OrderField(field="target_date", values=wanted)


def _text_field(reading: Reading, gold: dict[str, str]) -> str:
    """The field of free text that an item is about; "" if it is about none."""
    names = [word.name for word in reading.named("field")]
    return next((name for name in names if name in TEXTS and name in gold), "")


def _amount_field(mark: Mark) -> str:
    unit = unit_named(mark.quantity.unit) if mark.quantity else None
    if unit and unit.dimension in _DOSES:
        return "dose"
    return "duration_days" if unit and unit.dimension in _DAYS else ""
