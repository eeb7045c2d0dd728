"""The values of the R4 data types, one function for each kind of search parameter and type."""

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from wardround.ehr.fhir.index.dates import interval
from wardround.ehr.fhir.index.values import Interval, Quantity, Reference, Text, Token, Value

Convert: TypeAlias = Callable[[Any, str], Iterator[Value]]
_NAME_PARTS = ("text", "family", "given", "prefix", "suffix")
_ADDRESS_PARTS = ("text", "line", "city", "district", "state", "postalCode", "country")


def converter(kind: str, type: str) -> Convert:
    """The function that reads the values of a data type for a kind of parameter.

    It takes an element and the name of the zone of times without offset. Elements of the wrong
    form have no values; validation reports them.

    Raises:
        KeyError: The kind cannot have values of this type.
    """
    return _BY_TYPE.get((kind, type)) or _BY_KIND[kind]


def _code(value: Any, zone: str) -> Iterator[Value]:
    if isinstance(value, str):
        yield Token("", value)


def _boolean(value: Any, zone: str) -> Iterator[Value]:
    if isinstance(value, bool):
        yield Token("", "true" if value else "false")


def _coding(value: Any, zone: str) -> Iterator[Value]:
    if isinstance(value, dict):
        yield Token(value.get("system", ""), value.get("code", ""), value.get("display", ""))


def _concept(value: Any, zone: str) -> Iterator[Value]:
    if isinstance(value, dict):
        for coding in value.get("coding", ()):
            yield from _coding(coding, zone)
        if text := value.get("text"):
            yield Token("", "", text)


def _identifier(value: Any, zone: str) -> Iterator[Value]:
    if isinstance(value, dict):
        yield _identifier_token(value)


def _contact(value: Any, zone: str) -> Iterator[Value]:
    if isinstance(value, dict):
        yield Token(value.get("system", ""), value.get("value", ""))


def _text(value: Any, zone: str) -> Iterator[Value]:
    if isinstance(value, str):
        yield Text(value)


def _parts(names: tuple[str, ...]) -> Convert:
    def read(value: Any, zone: str) -> Iterator[Value]:
        for name in names if isinstance(value, dict) else ():
            part = value.get(name, ())
            for text in [part] if isinstance(part, str) else part:
                yield Text(text)

    return read


def _date(value: Any, zone: str) -> Iterator[Value]:
    try:
        yield interval(value, zone)
    except (TypeError, ValueError):
        return  # validation reports it


def _period(value: Any, zone: str) -> Iterator[Value]:
    if isinstance(value, dict):
        starts = list(_date(value.get("start"), zone))
        ends = list(_date(value.get("end"), zone))
        if starts or ends:
            low = starts[0].low if starts and isinstance(starts[0], Interval) else None
            high = ends[0].high if ends and isinstance(ends[0], Interval) else None
            yield Interval(low, high)


def _timing(value: Any, zone: str) -> Iterator[Value]:
    if isinstance(value, dict):
        for event in value.get("event", ()):
            yield from _date(event, zone)
        yield from _period((value.get("repeat") or {}).get("boundsPeriod"), zone)


def _quantity(value: Any, zone: str) -> Iterator[Value]:
    if not isinstance(value, dict) or (number := _amount(value.get("value"))) is None:
        return
    comparator = value.get("comparator", "")
    yield Quantity(
        None if comparator.startswith("<") else number,
        None if comparator.startswith(">") else number,
        value.get("system", ""),
        value.get("code", ""),
        value.get("unit", ""),
    )


def _range(value: Any, zone: str) -> Iterator[Value]:
    if isinstance(value, dict):
        low, high = value.get("low") or {}, value.get("high") or {}
        unit = low or high
        yield Quantity(
            _amount(low.get("value")),
            _amount(high.get("value")),
            unit.get("system", ""),
            unit.get("code", ""),
            unit.get("unit", ""),
        )


def _number(value: Any, zone: str) -> Iterator[Value]:
    if (number := _amount(value)) is not None:
        yield Quantity(number, number)


def _reference(value: Any, zone: str) -> Iterator[Value]:
    if not isinstance(value, dict):
        return
    named = value.get("identifier")
    token = _identifier_token(named) if isinstance(named, dict) else None
    target = value.get("reference", "")
    if target.startswith("#"):
        return  # contained resources are not searched
    parts = target.split("/_history/")[0].rsplit("/", 2)
    type, id = (parts[-2], parts[-1]) if len(parts) > 1 else (value.get("type", ""), "")
    if target or token:
        yield Reference(type, id, target if ":" in target else "", token)


def _canonical(value: Any, zone: str) -> Iterator[Value]:
    if isinstance(value, str):
        yield Reference("", "", value)


def _identifier_token(value: dict[str, Any]) -> Token:
    text = (value.get("type") or {}).get("text", "")
    return Token(value.get("system", ""), value.get("value", ""), text)


def _amount(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


_BY_KIND: dict[str, Convert] = {
    "token": _code,
    "string": _text,
    "date": _date,
    "quantity": _quantity,
    "number": _number,
    "reference": _reference,
    "uri": _code,
}
_BY_TYPE: dict[tuple[str, str], Convert] = {
    ("token", "boolean"): _boolean,
    ("token", "Coding"): _coding,
    ("token", "CodeableConcept"): _concept,
    ("token", "Identifier"): _identifier,
    ("token", "ContactPoint"): _contact,
    ("string", "HumanName"): _parts(_NAME_PARTS),
    ("string", "Address"): _parts(_ADDRESS_PARTS),
    ("date", "Period"): _period,
    ("date", "Timing"): _timing,
    ("quantity", "Range"): _range,
    ("reference", "canonical"): _canonical,
    ("reference", "uri"): _canonical,
}
