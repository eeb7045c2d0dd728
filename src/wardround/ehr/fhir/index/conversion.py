"""Turns values of FHIR's data types into values of the search index."""

from collections.abc import Callable, Iterator
from datetime import tzinfo
from typing import Any, TypeAlias

from wardround.ehr.fhir.definitions import Kind, Path
from wardround.ehr.fhir.index.dates import interval, period, timing
from wardround.ehr.fhir.index.values import Interval, Quantity, Text, Token, Value

# From a JSON value of a FHIR type to index values.
Converter: TypeAlias = Callable[[Any], Iterator[Value]]

# No amount is larger; neither infinity nor "not a number" is smaller.
LARGEST = 1e300
DRUG_NAMES = "http://mimic.mit.edu/fhir/mimic/CodeSystem/mimic-medication-name"
NAME_PARTS = ("text", "family", "given", "prefix", "suffix")
ADDRESS_PARTS = ("text", "line", "city", "district", "state", "postalCode", "country")


def objects(value: Any) -> list[dict[str, Any]]:
    """The JSON objects in a list, or a single one without a list."""
    many = value if isinstance(value, list) else [value]
    return [each for each in many if isinstance(each, dict)]


def strings(value: Any) -> list[str]:
    """The non-empty strings in a list, or a single one without a list."""
    many = value if isinstance(value, list) else [value]
    return [each for each in many if isinstance(each, str) and each]


def text_at(value: dict[str, Any], name: str) -> str:
    """A string of an object; empty if it has none."""
    text = value.get(name)
    return text if isinstance(text, str) else ""


def coding(value: dict[str, Any]) -> Iterator[Token]:
    """A Coding's token."""
    system, code = text_at(value, "system"), text_at(value, "code")
    yield Token(system, code, text_at(value, "display") or drug_name(system, code))


def concept(value: dict[str, Any]) -> Iterator[Token]:
    """A token for each coding, and for the text if it is no coding's display."""
    displays = []
    for each in objects(value.get("coding")):
        yield from coding(each)
        displays.append(each.get("display"))
    text = text_at(value, "text")
    if text and text not in displays:
        yield Token(text=text)


def identifier(value: dict[str, Any]) -> Iterator[Token]:
    """An identifier's token, its text that of the identifier's type."""
    kind = value.get("type")
    text = text_at(kind, "text") if isinstance(kind, dict) else ""
    system, code = text_at(value, "system"), text_at(value, "value")
    yield Token(system, code, text or drug_name(system, code))


def drug_name(system: str, code: str) -> str:
    """The text of a code that is itself a drug's name; MIMIC's medications have no other."""
    return code if system == DRUG_NAMES else ""


def contact(value: dict[str, Any]) -> Iterator[Token]:
    """A telephone number or address, without a system: R4 leaves it to the server."""
    if number := text_at(value, "value"):
        yield Token(code=number)


def parts(names: tuple[str, ...]) -> Converter:
    """The strings of an object under some names."""

    def convert(value: dict[str, Any]) -> Iterator[Text]:
        return (Text(text) for name in names for text in strings(value.get(name)))

    return convert


def quantity(value: dict[str, Any]) -> Iterator[Quantity]:
    """A Quantity; a comparator opens an end."""
    amount = number_at(value, "value")
    if amount is not None:
        comparator = text_at(value, "comparator")
        low = None if comparator in ("<", "<=") else amount
        high = None if comparator in (">", ">=") else amount
        yield Quantity(low, high, *unit(value))


def value_range(value: dict[str, Any]) -> Iterator[Quantity]:
    """A Range; a missing end is open."""
    ends = [objects(value.get(name)) for name in ("low", "high")]
    low, high = (number_at(end[0], "value") if end else None for end in ends)
    if low is not None or high is not None:
        yield Quantity(low, high, *unit((ends[0] or ends[1])[0]))


def sampled(value: dict[str, Any]) -> Iterator[Quantity]:
    """The bounds of sampled data, in the unit of its origin."""
    origin = objects(value.get("origin"))
    if not origin:
        return
    zero, factor = number_at(origin[0], "value"), number_at(value, "factor")
    raw = [as_number(word) for word in text_at(value, "data").split()]
    points = [(zero or 0) + (1 if factor is None else factor) * each
              for each in raw if each is not None]  # fmt: skip
    if points:
        yield Quantity(min(points), max(points), *unit(origin[0]))


def money(value: dict[str, Any]) -> Iterator[Quantity]:
    """An amount of money, its unit the currency."""
    amount, currency = number_at(value, "value"), text_at(value, "currency")
    if amount is not None:
        yield Quantity(amount, amount, "urn:iso:std:iso:4217", currency, currency)


def unit(value: dict[str, Any]) -> tuple[str, str, str]:
    """System, code and text of a quantity's unit."""
    return text_at(value, "system"), text_at(value, "code"), text_at(value, "unit")


def number_at(value: dict[str, Any], name: str) -> float | None:
    """A number of an object; None if it has none that can be computed with."""
    number = value.get(name)
    if isinstance(number, int | float) and not isinstance(number, bool) and abs(number) < LARGEST:
        return float(number)
    return None


def as_number(word: str) -> float | None:
    """A sample; E, U and L stand for error, too high and too low."""
    try:
        return float(word)
    except ValueError:
        return None


def plain(system: str) -> Converter:
    """Tokens of strings, codes and Booleans, under the system that they imply."""

    def convert(value: str | bool) -> Iterator[Token]:
        yield Token(system, value if isinstance(value, str) else str(value).lower())

    return convert


def text(value: str) -> Iterator[Text]:
    """An unchanged string."""
    yield Text(value)


def number(value: float) -> Iterator[Quantity]:
    """A number, as an amount without a unit."""
    yield Quantity(value, value)


def timed(span: Callable[[Any, tzinfo], Interval | None], zone: tzinfo) -> Converter:
    """Time spans by a function; a value that is not a date has none."""

    def convert(value: Any) -> Iterator[Interval]:
        if interval := span(value, zone):
            yield interval

    return convert


TOKENS = {"Coding": coding, "CodeableConcept": concept, "Identifier": identifier,
          "ContactPoint": contact}  # fmt: skip
STRINGS = {"HumanName": parts(NAME_PARTS), "Address": parts(ADDRESS_PARTS)}
QUANTITIES = {"Quantity": quantity, "Age": quantity, "Duration": quantity,
              "Range": value_range, "SampledData": sampled, "Money": money}  # fmt: skip
DATES = {"Period": period, "Timing": timing}


def converter(kind: Kind, path: Path, zone: tzinfo) -> tuple[type, Converter]:
    """The JSON type that a path's values must have, and their conversion.

    Args:
        kind: the kind of search parameter.
        path: the path; its type decides.
        zone: the zone of dates without an offset.
    """
    match kind:
        case "token" if path.type in TOKENS:
            return dict, TOKENS[path.type]
        case "token":
            return (bool if path.type == "boolean" else str), plain(path.about)
        case "string" if path.type in STRINGS:
            return dict, STRINGS[path.type]
        case "quantity":
            return dict, QUANTITIES[path.type]
        case "date" if path.type in DATES:
            return dict, timed(DATES[path.type], zone)
        case "date":
            return str, timed(interval, zone)
        case "number":
            return float, number
        case _:
            return str, text
