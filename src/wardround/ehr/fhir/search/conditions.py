"""SQL conditions on the rows of an index table, by kind of parameter and value."""

import re
from dataclasses import dataclass

from wardround.ehr.fhir.search.query import (
    CompositeValue,
    DateValue,
    Match,
    QuantityValue,
    ReferenceValue,
    SearchValue,
    StringValue,
    TokenValue,
)
from wardround.ehr.fhir.store.rows import folded

LAST_CHARACTER = chr(0x10FFFF)
GLOB_SPECIAL = re.compile(r"[*?\[]")
# Code systems of the International Classification of Diseases, among them MIMIC's.
ICD_SYSTEM = " OR ".join(
    f"lower(system) GLOB '*{part}*'" for part in ("icd9", "icd-9", "icd10", "icd-10")
)


@dataclass(frozen=True, slots=True)
class Sql:
    """A piece of SQL with the values of its placeholders."""

    text: str
    values: tuple[object, ...] = ()


def joined(separator: str, parts: list[Sql]) -> Sql:
    """Pieces of SQL with a word between them, in parentheses if there are several."""
    if len(parts) == 1:  # SQLite's parser takes about a hundred levels
        return parts[0]
    text = separator.join(f"({part.text})" for part in parts)
    return Sql(text, tuple(value for part in parts for value in part.values))


def condition(match: Match) -> Sql:
    """The rows of the parameter's index table that a match accepts."""
    parts = [value_condition(match, value) for value in match.values]
    return parts[0] if len(parts) == 1 else joined(" OR ", parts)


def value_condition(match: Match, value: SearchValue) -> Sql:
    """The rows that one of a match's values accepts."""
    match value:
        case TokenValue() if match.comparator == "identifier":
            return identifier_condition(value)
        case TokenValue() if match.comparator == "below":
            return below_condition(value)
        case TokenValue():
            return token_condition(value)
        case StringValue(text):
            return text_condition(match, text)
        case DateValue():
            return date_condition(value)
        case QuantityValue():
            return quantity_condition(value)
        case ReferenceValue():
            return reference_condition(value)
        case CompositeValue(token, quantity):
            return joined(" AND ", [token_condition(token), quantity_condition(quantity, "unit_")])


def token_condition(value: TokenValue) -> Sql:
    """Tokens with a code, a system or both; the index compares codes without regard to case."""
    parts = []
    if value.code is not None:
        parts.append(Sql("code = ?", (value.code,)))
    if value.system is not None:
        parts.append(Sql("system = ?", (value.system,)))
    return joined(" AND ", parts)


def below_condition(value: TokenValue) -> Sql:
    """ICD codes with a beginning, written with a dot or without."""
    code = value.code or ""
    beginnings = [
        Sql("code >= ? AND code < ?", (each, each + LAST_CHARACTER))
        for each in dict.fromkeys((code, code.replace(".", "")))
    ]
    system = Sql("system = ?", (value.system,)) if value.system else Sql(ICD_SYSTEM)
    return joined(" AND ", [joined(" OR ", beginnings), system])


def identifier_condition(value: TokenValue) -> Sql:
    """References with an identifier, which the index has as `system|value`."""
    parts = []
    if value.code is not None:
        text = "substr(identifier, instr(identifier, '|') + 1) = ? COLLATE NOCASE"
        parts.append(Sql(text, (value.code,)))
    if value.system is not None:
        text = "substr(identifier, 1, instr(identifier, '|') - 1) = ?"
        parts.append(Sql(text, (value.system,)))
    return joined(" AND ", parts)


def text_condition(match: Match, text: str) -> Sql:
    """Strings that begin with a text, or as the modifier asks for; URIs that are equal."""
    plain = folded(text)
    match match.parameter.kind, match.comparator:
        case _, "text":
            escaped = GLOB_SPECIAL.sub(r"[\g<0>]", plain)
            # `instr` is several times as fast as GLOB, and mostly false.
            accepted = "text <> '' AND instr(text, ?) AND ' ' || text GLOB ?"
            return Sql(accepted, (plain, f"*[^0-9a-z]{escaped}*"))
        case ("uri", _) | (_, "exact"):
            return Sql("folded = ? AND value = ?", (plain, text))
        case _, "contains":
            return Sql("instr(folded, ?) > 0", (plain,))
        case _:
            return Sql("folded >= ? AND folded < ?", (plain, plain + LAST_CHARACTER))


def date_condition(value: DateValue) -> Sql:
    """Time spans that compare to the one searched as R4 defines for each prefix."""
    low, high = value.span.low, value.span.high
    within = Sql("low >= ? AND high <= ?", (low, high))
    after = Sql("ifnull(high > ?, 1)", (high,))
    before = Sql("ifnull(low < ?, 1)", (low,))
    match value.prefix:
        case "eq":
            return within
        case "ne":
            return Sql(f"NOT ifnull({within.text}, 0)", within.values)
        case "gt":
            return after
        case "lt":
            return before
        case "ge":
            return joined(" OR ", [within, after])
        case "le":
            return joined(" OR ", [within, before])
        case "sa":
            return Sql("low >= ?", (high,))
        case "eb":
            return Sql("high <= ?", (low,))
        case "ap":
            return Sql("ifnull(high > ?, 1) AND ifnull(low < ?, 1)", (low, high))


def quantity_condition(value: QuantityValue, prefix: str = "") -> Sql:
    """Amounts that compare to a number, in a unit if there is one.

    Args:
        value: the number.
        prefix: the beginning of the names of the unit's columns.
    """
    parts = [number_condition(value)]
    if value.system is not None:
        parts.append(Sql(f"{prefix}system = ?", (value.system,)))
        if value.code is not None:
            parts.append(Sql(f"{prefix}code = ?", (value.code,)))
    elif value.code is not None:
        parts.append(Sql(f"{prefix}code = ? OR unit = ?", (value.code, value.code)))
    return joined(" AND ", parts)


def number_condition(value: QuantityValue) -> Sql:
    """Amounts that compare to a number; its precision counts for `eq`, `ne` and `ap`."""
    number = value.number
    equal = "low >= ? AND low < ? AND high >= ? AND high < ?"
    match value.prefix:
        case "eq":
            return Sql(equal, (value.low, value.high) * 2)
        case "ne":
            return Sql(f"NOT ifnull({equal}, 0)", (value.low, value.high) * 2)
        case "gt":
            return Sql("ifnull(high > ?, 1)", (number,))
        case "lt":
            return Sql("ifnull(low < ?, 1)", (number,))
        case "ge":
            return Sql("ifnull(high > ?, 1) OR (low = ? AND high = ?)", (number,) * 3)
        case "le":
            return Sql("ifnull(low < ?, 1) OR (low = ? AND high = ?)", (number,) * 3)
        case "sa":
            return Sql("low > ?", (number,))
        case "eb":
            return Sql("high < ?", (number,))
        case "ap":
            return Sql("ifnull(high >= ?, 1) AND ifnull(low <= ?, 1)", (value.low, value.high))


def reference_condition(value: ReferenceValue) -> Sql:
    """References to an id of any or of one type, or to an address."""
    parts = []
    if value.id:
        named = Sql("id = ?", (value.id,))
        kind = [Sql("type = ?", (value.type,))] if value.type else []
        parts.append(joined(" AND ", [named, *kind]))
    if value.url:
        parts.append(Sql("url = ?", (value.url,)))
    return joined(" OR ", parts)
