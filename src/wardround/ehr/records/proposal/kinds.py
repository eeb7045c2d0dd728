"""The kind of record of a table's rows, and the fields that fill the columns of the kind."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wardround.core.packaged_data import read_toml
from wardround.ehr.records.proposal.evidence import Evidence
from wardround.ehr.records.proposal.facts import Column, ColumnFacts, filled_pairs
from wardround.ehr.records.proposal.fields import Field
from wardround.ehr.records.proposal.keys import Reference
from wardround.ehr.records.proposal.values import (
    lab_test,
    last_step,
    named,
    sign_unit,
    stem_and_unit,
    vital_signs,
)

_NUMBERS = 0.8  # of the cells of a column of numbers that are written as text


@dataclass(frozen=True, slots=True)
class FieldChoice:
    """A field for a column of a kind, and what speaks for it."""

    field: Field
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class KindChoice:
    """A kind that a table's rows can be.

    Attributes:
        columns: Fields by the kind's columns.
        where: A condition on the rows, if only some are of the kind.
        strength: Sorts the tables of a kind: the share of values that fit, and what supports it.
    """

    kind: str
    columns: Mapping[str, FieldChoice]
    evidence: Evidence
    where: str
    strength: float


def kinds_of(
    table: str, fields: Sequence[Field], used_columns: Collection[str]
) -> list[KindChoice]:
    """The kinds that a table's rows can be, the likeliest first.

    Args:
        table: Its name.
        fields: Its fields.
        used_columns: Own columns that are keys or times.
    """
    free = [f for f in fields if f.through or f.facts.column.name not in used_columns]
    values = _values(free)
    choices = [
        choice
        for kind in _signs()
        if "main" in _signs()[kind] and (choice := _choice(kind, table, free, values))
    ]
    return sorted(choices, key=lambda choice: -choice.strength)


@dataclass(frozen=True, slots=True)
class WideColumn:
    """A column of measurements of one thing, with its unit."""

    column: Column
    unit: str
    evidence: Evidence


def wide_columns(
    fields: Sequence[Field], used_columns: Collection[str]
) -> tuple[str, dict[str, WideColumn]]:
    """The kind and the measurements of a table that has a column for each; empty if under two."""
    free = [f.facts for f in fields if not f.through and f.facts.column.name not in used_columns]
    tests = {test[0]: (c, test[1]) for c in free if (test := lab_test(c))}
    labs = {
        name: WideColumn(c.column, unit.name, about)
        for name, (c, about) in tests.items()
        if (unit := stem_and_unit(c.column.name)[1])
    }
    signs = _signs_in([c for c in free if c.column not in {lab.column for lab in labs.values()}])
    kind, wide = ("lab", labs) if len(labs) > len(signs) else ("vital", signs)
    return kind, wide if len(wide) >= 2 else {}


def _signs_in(columns: Sequence[ColumnFacts]) -> dict[str, WideColumn]:
    """The vital signs among columns.

    A range that several signs share, or several columns, tells none of them; a name decides.
    """
    fitting = {c.column: vital_signs(c) for c in columns}
    clear: dict[str, WideColumn] = {}
    for column, signs in fitting.items():
        by_name = [sign for sign, about in signs.items() if ("name", "its name") in about]
        chosen = by_name or ([*signs] if len(signs) == 1 else [])
        for sign in chosen[:1]:
            rivals = [c for c, others in fitting.items() if sign in others and c != column]
            if by_name or not rivals:
                clear.setdefault(sign, WideColumn(column, sign_unit(sign), signs[sign]))
    return clear


def fill_columns(
    kind: str, fields: Sequence[Field], values: Mapping[str, Field]
) -> dict[str, FieldChoice]:
    """The fields that fit the columns of a kind, each field once.

    A code, its system and its name are of one dictionary, where several columns refer to one.
    """
    choices: dict[str, FieldChoice] = {}
    used: set[Column] = set()
    dictionary: Reference | None = None
    roles_of = _signs()[kind]["columns"]
    for column in sorted(roles_of, key=lambda each: each != "name"):
        free = [f for f in fields if f.facts.column not in used]
        if column in _NAMED and dictionary:
            free = [f for f in free if f.through in (None, dictionary)]
        if best := _best(column, roles_of[column], free, values):
            choices[column] = best
            used.add(best.field.facts.column)
            dictionary = (column in _NAMED and best.field.through) or dictionary
    choices.update(_name_of_codes(choices, [f for f in fields if f.facts.column not in used]))
    return {column: choices[column] for column in roles_of if column in choices}


_NAMED = ("name", "code", "system")


def _name_of_codes(
    choices: Mapping[str, FieldChoice], free: Sequence[Field]
) -> dict[str, FieldChoice]:
    """The name beside a code: the table's own text of which each code has one."""
    code, name = choices.get("code"), choices.get("name")
    if code is None or code.field.through:
        return {}
    texts = [name.field] if name else [f for f in free if f.facts.type == "text" and not f.through]
    named_by = [f for f in texts if not f.through and _is_one_each(code.field.facts, f.facts)]
    if len(named_by) != 1:
        return {}
    about: Evidence = (("dependency", f"each {code.field.facts.column.name} has one"),)
    return {"name": FieldChoice(named_by[0], (*(name.evidence if name else ()), *about))}


def _is_one_each(codes: ColumnFacts, texts: ColumnFacts) -> bool:
    """True if codes and texts are nearly one to one."""
    pairs = set(filled_pairs(codes, texts))
    several = len(codes.distinct) < 0.8 * len(codes.values)
    as_many = len(codes.distinct) <= 1.3 * len(texts.distinct)
    return several and as_many and 5 <= len(pairs) <= 1.02 * len(codes.distinct)


def _signs() -> Mapping[str, Mapping[str, Any]]:
    return read_toml("wardround.ehr.records.proposal", "signs.toml")


def _choice(
    kind: str, table: str, fields: Sequence[Field], values: Mapping[str, Field]
) -> KindChoice | None:
    sign = _signs()[kind]
    main = [(f.roles[role], role, f) for f in fields for role in sign["main"] if role in f.roles]
    if not main:
        main = _by_support(sign, fields)
    if not main or not _has_any(sign.get("needs", ()), fields, values):
        return None
    share, role, field = max(main, key=lambda each: each[0])
    supports = [r for r in sign["support"] if r != role and _has(r, fields, values)]
    names = [table, *(f.facts.column.table for _, _, f in main)]
    fitting = f"{share:.0%} of the values of {field.facts.column.name} fit ({role})"
    about = [("words", fitting)] if share else []
    about += [("support", f"it has {' and '.join(supports)} too")] if supports else []
    is_named = any(named(name, kind) for name in names)
    about += [("name", "the name of its table")] if is_named else []
    strength = share + 0.3 * len(supports) + 0.4 * is_named
    columns = fill_columns(kind, fields, values)
    if not share and "name" in sign["columns"]:
        sole = ("name", "its table's name") if is_named else ("only", "the most different texts")
        columns = {"name": FieldChoice(field, (sole,)), **columns}
    where = _where(kind, field)
    return KindChoice(kind, columns, tuple(about), where, strength)


_FLUIDS = frozenset({"intake", "output"})


def _by_support(sign: Mapping[str, Any], fields: Sequence[Field]) -> list[tuple[float, str, Field]]:
    """The most various text beside columns that are enough to tell the kind together."""
    enough = sign.get("enough", ())
    texts = [f for f in fields if f.facts.type == "text" and not f.through]
    names = [f for f in texts if not f.roles.keys() & {*enough}]
    if not enough or not names or not all(_has(role, fields, {}) for role in enough):
        return []
    return [(0.0, "", max(names, key=lambda f: len(f.facts.texts)))]


def _has_any(roles: Sequence[str], fields: Sequence[Field], values: Mapping[str, Field]) -> bool:
    return not roles or any(_has(role, fields, values) for role in roles)


def _has(role: str, fields: Sequence[Field], values: Mapping[str, Field]) -> bool:
    return role in values or any(role in field.roles for field in fields)


def _where(kind: str, field: Field) -> str:
    """The rows of a kind, where one column's paths name both intake and output."""
    if kind not in _FLUIDS:
        return ""
    lower = [text.lower() for text in field.facts.texts]
    is_marked = all(any(word in text for text in lower) for word in _FLUIDS)
    return f"LOWER({field.sql}) LIKE '%{kind}%'" if is_marked else ""


def _best(
    column: str, roles: Sequence[str], fields: Sequence[Field], values: Mapping[str, Field]
) -> FieldChoice | None:
    for role in roles:
        if role in values and values[role] in fields:
            return _value_choice(column, role, values)
        wanted = _label_role(role)
        fitting = [f for f in fields if wanted in f.roles]
        if fitting:
            best = max(fitting, key=lambda f: _fit(column, wanted, f))
            evidence = _evidence(column, wanted, best, fitting)
            label = next((f for f in fields if _is_last_step(f, best)), None)
            if column == "name" and label:
                about = ("order", f"the last step of {best.facts.column.name}")
                return FieldChoice(label, (about, *evidence))
            return FieldChoice(best, evidence)
    return None


def _is_last_step(label: Field, path: Field) -> bool:
    """True if a column has the last steps of another's paths."""
    pairs = {(str(a).strip(), str(b)) for a, b in filled_pairs(label.facts, path.facts)}
    return len(pairs) >= 5 and sum(last_step(b) == a != b for a, b in pairs) >= 0.9 * len(pairs)


def _label_role(role: str) -> str:
    return role.removesuffix(" label")


def _fit(column: str, role: str, field: Field) -> tuple[bool, float, float]:
    is_named = named(field.facts.column.name, column)
    length = sum(map(len, field.facts.texts)) / max(len(field.facts.texts), 1)
    return is_named, round(field.roles[role] * field.facts.filled, 1), -length


def _evidence(column: str, role: str, field: Field, fitting: Sequence[Field]) -> Evidence:
    texts = len(field.facts.texts) or len(field.facts.distinct)
    about = [("values", f"{field.roles[role]:.0%} of {texts} different values fit ({role})")]
    if field.through:
        about += field.through.evidence[:1]
    if named(field.facts.column.name, column) or named(field.facts.column.name, role):
        about.append(("name", "its name"))
    if len(fitting) == 1 and field.roles[role] >= 0.5:
        about.append(("only", "no other column fits"))
    return tuple(about)


def _values(fields: Sequence[Field]) -> dict[str, Field]:
    """The column with the numbers of results, its text, and its limits, if they can be told."""
    numbers = [f for f in fields if not f.through and _is_measure(f)]
    limits = _limits(numbers)
    numeric = [f for f in numbers if f not in limits.values()]
    if not numeric:
        return {}
    value = max(numeric, key=lambda f: _value_rank(f, fields))
    is_told = len(numeric) == 1 or any(_value_rank(value, fields)[:2])
    if not is_told and not stem_and_unit(value.facts.column.name)[1]:
        return {"number": value}
    roles = {"number": value, "value": value, **limits}
    for field in fields:
        if field is not value and not field.through and _repeats(field.facts, value.facts):
            roles["value text"] = field
    return roles


def _limits(numeric: Sequence[Field]) -> dict[str, Field]:
    """The columns with the limits of normal results, by their names."""
    return {
        role: f for f in numeric for role in ("low", "high") if named(f.facts.column.name, role)
    }


def _value_rank(field: Field, fields: Sequence[Field]) -> tuple[bool, bool, tuple[bool, float]]:
    """A column that another repeats as text is a result, whatever else is a number."""
    is_repeated = any(_repeats(f.facts, field.facts) for f in fields if f is not field)
    return is_repeated, named(field.facts.column.name, "value"), _spread(field.facts)


def _is_measure(field: Field) -> bool:
    facts = field.facts
    if facts.type == "text":
        cells = [cell for cell in facts.values if re.search(r"\d", str(cell))]
        is_number = len(facts.numbers) >= _NUMBERS * len(facts.values) and bool(cells)
    else:
        is_number = facts.type in ("integer", "number")
    whole = all(number.is_integer() for number in facts.numbers)
    is_id = whole and len(facts.distinct) > 0.95 * len(facts.values) >= 50
    return is_number and not is_id and facts.filled > 0.1 and len(facts.distinct) >= 5


def _spread(facts: ColumnFacts) -> tuple[bool, float]:
    """Numbers before numbers written as text, and the fuller, more various column first."""
    fractions = sum(not n.is_integer() for n in facts.numbers)
    return facts.type != "text", facts.filled * (len(facts.distinct) + 10 * (fractions > 0))


def _repeats(facts: ColumnFacts, value: ColumnFacts) -> bool:
    """True if a text repeats the numbers of another column."""
    if facts.type != "text":
        return False
    pairs = filled_pairs(facts, value)
    same = sum(str(n).removesuffix(".0") in str(t) for t, n in pairs)
    return len(pairs) >= 5 and same >= 0.7 * len(pairs)


def _value_choice(column: str, role: str, values: Mapping[str, Field]) -> FieldChoice:
    field = values[role]
    about = [("values", f"{len(field.facts.distinct)} different numbers")]
    if named(field.facts.column.name, column):
        about.append(("name", "its name"))
    if role == "value" and "value text" in values:
        about.append(("order", "another column repeats it as text"))
    if role == "value text":
        about.append(("order", "it repeats the numbers of the value"))
    return FieldChoice(field, tuple(about))
