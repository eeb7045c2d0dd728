"""Reads the values of search parameters: escapes, prefixes, precision, systems, references."""

import re
from datetime import tzinfo
from decimal import Decimal
from typing import cast, get_args

from wardround.ehr.fhir.definitions import Kind
from wardround.ehr.fhir.index.dates import interval
from wardround.ehr.fhir.outcome import FhirError
from wardround.ehr.fhir.search.query import (
    CompositeValue,
    DateValue,
    Prefix,
    QuantityValue,
    ReferenceValue,
    SearchValue,
    StringValue,
    TokenValue,
)

PREFIXES: tuple[Prefix, ...] = get_args(Prefix)
PREFIX = re.compile(rf"(?:(?P<prefix>{'|'.join(PREFIXES)})(?=[\d+-]))?(?P<rest>.*)", re.DOTALL)
NUMBER = re.compile(r"[+-]?\d{1,40}(\.\d{1,40})?([eE][+-]?\d{1,2})?", re.ASCII)
REFERENCE = re.compile(
    r"(?:(?P<base>[a-z]+://.+/)?(?P<type>[A-Z][A-Za-z]+)/)?(?P<id>[A-Za-z0-9.-]{1,64})", re.ASCII
)
ESCAPE = re.compile(r"\\([,|$\\])")
# A `+` that is not percent-encoded in an address arrives as a space.
DECODED_PLUS = re.compile(r" (?=\d\d:\d\d$)")


def split_value(text: str, separator: str) -> list[str]:
    r"""The parts of a value between separators that are not escaped.

    >>> split_value(r"a\,b,c", ",")
    ['a\\,b', 'c']
    """
    if "\\" not in text:
        return text.split(separator)
    parts, escaped = [""], False
    for char in text:
        if char == separator and not escaped:
            parts.append("")
        else:
            parts[-1] += char
        escaped = char == "\\" and not escaped
    return parts


def unescape(text: str) -> str:
    r"""A part of a value without its escapes.

    >>> unescape(r"a\,b\\c\n")
    'a,b\\c\\n'
    """
    return ESCAPE.sub(r"\1", text)


def parse_value(kind: Kind, text: str, zone: tzinfo) -> SearchValue:
    """A value of a parameter, read as its kind asks for.

    Args:
        kind: the kind of parameter.
        text: the value, still escaped.
        zone: the zone of dates without an offset.

    Raises:
        FhirError: the text is not a value of this kind.
    """
    if not text:
        raise FhirError(400, "value", "A search value is empty; give a value.")
    match kind:
        case "token":
            return token_value(text)
        case "date":
            return date_value(text, zone)
        case "number" | "quantity":
            return quantity_value(text)
        case "reference":
            return reference_value(unescape(text))
        case "composite":
            return composite_value(text)
        case _:
            return StringValue(unescape(text))


def token_value(text: str) -> TokenValue:
    """A token in its forms `code`, `system|code`, `|code` and `system|`.

    >>> token_value("http://loinc.org|2823-3")
    TokenValue(code='2823-3', system='http://loinc.org')
    """
    parts = [unescape(part) for part in split_value(text, "|")]
    match parts:
        case [code]:
            return TokenValue(code)
        case [system, code] if system or code:
            return TokenValue(code or None, system)
    raise FhirError(
        400, "value", f"{text} is not a token; write code, system|code, |code or system|."
    )


def date_value(text: str, zone: tzinfo) -> DateValue:
    """A date with its prefix; its precision is the span that is searched."""
    prefix, rest = split_prefix(text)
    span = interval(DECODED_PLUS.sub("+", rest), zone)
    if not span:
        raise FhirError(400, "value", f"{text} is not a date; write it like ge2150-03-14T09:30.")
    return DateValue(prefix, span)


def quantity_value(text: str) -> QuantityValue:
    """A number with its prefix, alone or as `number|system|code`."""
    amount, *unit = [unescape(part) for part in split_value(text, "|")]
    prefix, rest = split_prefix(amount)
    if not NUMBER.fullmatch(rest) or len(unit) not in (0, 2):
        raise FhirError(400, "value", f"{text} is not a quantity; write it like gt5.4 or 5.4||mg.")
    system, code = unit or ("", "")
    low, high = span_of(Decimal(rest), prefix)
    number = float(Decimal(rest))
    return QuantityValue(prefix, number, low, high, code or None, system or None)


def span_of(number: Decimal, prefix: Prefix) -> tuple[float, float]:
    """The numbers that a search for a number means: half its last digit more or less.

    >>> span_of(Decimal("5.4"), "eq"), span_of(Decimal("100"), "ap")
    ((5.35, 5.45), (90.0, 110.0))
    """
    exponent = cast("int", number.as_tuple().exponent)
    margin = abs(number) / 10 if prefix == "ap" else Decimal(5).scaleb(exponent - 1)
    return float(number - margin), float(number + margin)


def split_prefix(text: str) -> tuple[Prefix, str]:
    """A value's prefix and the rest; without a prefix it is `eq`."""
    match = cast("re.Match[str]", PREFIX.fullmatch(text))
    return cast("Prefix", match["prefix"] or "eq"), match["rest"]


def reference_value(text: str) -> ReferenceValue:
    """A reference in its forms `id`, `Type/id` and absolute address."""
    if match := REFERENCE.fullmatch(text):
        return ReferenceValue(match["id"], match["type"] or "", text if match["base"] else "")
    if ":" in text:
        return ReferenceValue(url=text)
    raise FhirError(400, "value", f"{text} is not a reference; write ID, Type/ID or an address.")


def composite_value(text: str) -> CompositeValue:
    """A code and an amount, separated by `$`."""
    parts = split_value(text, "$")
    if len(parts) != 2 or not all(parts):
        raise FhirError(400, "value", f"{text} must be a code, $ and an amount, as in 2823-3$gt5.")
    return CompositeValue(token_value(parts[0]), quantity_value(parts[1]))
