"""Readers of SQL leaves: each reads one kind of check from a sentence that may ask for it.

A reader returns the check and the indices of the tokens that it explains, or None. `used` are the
tokens that other checks explain. The words that lead to a reader are in `sql_grammar`.
"""

import re
from collections.abc import Iterator
from typing import TypeAlias

from wardround.benchmarks.clinsql.checks.leaf_bounds import find_range
from wardround.benchmarks.clinsql.checks.leaf_tokens import Token, leaf_words
from wardround.benchmarks.clinsql.checks.sql_leaf import SqlLeaf
from wardround.benchmarks.clinsql.items.checks import (
    Age,
    AllOf,
    Codes,
    Cohort,
    Distinct,
    Drugs,
    ExcludesNull,
    GroupBy,
    Items,
    Join,
    Measure,
    Rounding,
    Sex,
    SqlCheck,
    Start,
    Stay,
    Survival,
    Tables,
    ValueBounds,
    Window,
)
from wardround.benchmarks.clinsql.layouts import published_columns, published_tables
from wardround.ehr.text.mentions import find_drugs

# A check, and the indices of the tokens that it explains.
Found: TypeAlias = tuple[SqlCheck | AllOf, frozenset[int]]

# Patients and times: sex, age, survival, times, stays.

WOMEN, MEN, AGES = map(leaf_words, ("women", "men", "age"))
_HOURS = dict.fromkeys(leaf_words("hour"), 1) | dict.fromkeys(leaf_words("day"), 24)


def sex(leaf: SqlLeaf, used: frozenset[int]) -> Found | None:
    """The one sex whose words or values are named."""
    women, men = leaf.at(WOMEN), leaf.at(MEN)
    if women and men:
        return None
    named = leaf.at({*leaf_words("sex"), "patients"})
    return Sex(value="F" if women else "M"), women | men | named


def age(leaf: SqlLeaf, used: frozenset[int]) -> Found | None:
    """Bounds, with the convention if one is named."""
    bounds = find_range(leaf.tokens)
    if bounds is None:
        return None
    low, high = _whole(bounds.low, bounds.low_open, 1), _whole(bounds.high, bounds.high_open, -1)
    at_admission = leaf.says("at admission", "of admission", "anchor_year", "admittime")
    anchor = leaf.says("anchor_age", "anchor age")
    convention = "admission" if at_admission else ("anchor" if anchor else None)
    explained = leaf.at(AGES | {"admittime"} if at_admission else AGES)
    return Age(low=low, high=high, convention=convention), bounds.used | explained


def _whole(bound: float | None, is_open: bool, step: int) -> int | None:
    return None if bound is None else int(bound) + (step if is_open else 0)


def window(leaf: SqlLeaf, used: frozenset[int]) -> Found | None:
    """A number of hours or days from the begin of a stay, or before its end."""
    texts = [token.text for token in leaf.tokens]
    places = [at for at in leaf.numbers(used) if texts[at + 1 : at + 2] and texts[at + 1] in _HOURS]
    if len(places) != 1:
        return None
    [at] = places
    hours = (leaf.tokens[at].number or 0) * _HOURS[texts[at + 1]]
    back = leaf.words & {"last", "before", "final"}
    columns = leaf.at({"intime", "outtime", "admittime", "dischtime", "charttime"})
    return Window(start=_start(leaf), hours=-hours if back else hours), columns | {at}


def _start(leaf: SqlLeaf) -> Start | None:
    if leaf.words & {"discharge", "dischtime"}:
        return "discharge"
    if leaf.words & {"icu", "intime"}:
        return "icu"
    return "admission" if leaf.words & {"admission", "admittime"} else None


def stay(leaf: SqlLeaf, used: frozenset[int]) -> Found | None:
    """The first or last stay or admission."""
    first, last = leaf.words & {"first", "earliest"}, leaf.words & {"last", "latest"}
    icu = leaf.says("icu stay", "icu stays", "icu admission", "icustays")
    admission = leaf.words & {"admission", "admissions", "hospitalization"}
    if (first and last) or not (icu or admission):
        return None
    check = Stay(which="first" if first else "last", of="icu" if icu else "admission")
    return check, leaf.at({"icustays", "intime", "admittime"})


def survival(leaf: SqlLeaf, used: frozenset[int]) -> Found | None:
    """Deaths only, or survivors only."""
    flags = leaf.at({"hospital_expire_flag"})
    values = {leaf.tokens[at + 2].text for at in flags if at + 2 < len(leaf.tokens)}
    died = leaf.says(*leaf_words("death")) or values == {"1"}
    lived = leaf.says(*leaf_words("survival")) or values == {"0"}
    if died == lived:
        return None
    return Survival(died=died), flags | {at + 2 for at in flags}


# Selections: codes, items, drugs, plausible values, a cohort.

_CODE = re.compile(r"%?[A-Z]?\d[\dA-Z.]*[%_]*|%?[A-Z]\d[\dA-Z.]*[%_]*")
# The letter and the digits of a code without its last parts.
_STEM = re.compile(r"([A-Z]?)(\d+)%?")
_MOST_CODES = 200


def items(leaf: SqlLeaf, used: frozenset[int]) -> Found | None:
    """Ids of five or six digits."""
    texts, tables = leaf.texts, leaf.tables()
    places = [
        at
        for at, text in enumerate(texts)
        if text.isdigit() and len(text) in (5, 6) and at not in used
    ]
    if not places:
        return None
    table = tables[0] if len(tables) == 1 else ""
    check = Items(table=table, ids=tuple(sorted(int(texts[at]) for at in places)))
    return check, leaf.at({"itemid", "itemids", table}) | set(places)


def codes(leaf: SqlLeaf, used: frozenset[int]) -> Found | None:
    """ICD codes and prefixes, as LIKE patterns without dots."""
    texts, versions = (
        leaf.texts,
        {int(t.number) for t in leaf.tokens if t.kind == "icd" and t.number},
    )
    compared = {
        at
        for at, token in enumerate(leaf.tokens)
        if token.is_number and texts[max(at - 2, 0) : at] == ["icd_version", "="]
    }
    versions |= {int(leaf.tokens[at].number or 0) for at in compared}
    if not versions and not leaf.words & {"icd_code", "icd"}:
        return None
    places = [at for at, t in enumerate(leaf.tokens) if at not in used | compared and _is_code(t)]
    patterns = sorted({pattern for group in _code_ranges(leaf, places) for pattern in group})
    if not patterns:
        return None
    pcs = any(token.text.endswith("PCS") for token in leaf.tokens)
    procedures = pcs or leaf.says("procedure", "procedures", "procedures_icd")
    check = Codes(
        table="procedures_icd" if procedures else "diagnoses_icd",
        version=(10 if versions == {10} else 9) if len(versions) == 1 else None,
        patterns=tuple(patterns),
    )
    named = leaf.at({"icd_code", "icd_version", "diagnoses_icd", "procedures_icd"})
    return check, named | set(places) | compared


def _code_ranges(leaf: SqlLeaf, places: list[int]) -> Iterator[list[str]]:
    """The patterns of each code, and of all between two that a dash joins; none if unreadable."""
    texts, skipped = leaf.texts, set[int]()
    for at in places:
        joined = texts[at + 1 : at + 2] in (["-"], ["to"], ["through"]) and at + 2 in places
        if at not in skipped:
            last = leaf.tokens[at + 2].text if joined else leaf.tokens[at].text
            skipped |= {at + 2} if joined else set()
            yield _codes_between(leaf.tokens[at].text, last)


def _codes_between(first: str, last: str) -> list[str]:
    """The patterns of codes from one to another of the same length and letter.

    >>> _codes_between("480", "482")
    ['480%', '481%', '482%']
    """
    if first == last:
        code = first.replace(".", "")
        return [code if "%" in code else f"{code}%"]
    stems = [_STEM.fullmatch(code.replace(".", "")) for code in (first, last)]
    if None in stems:
        return []
    (letter, low), (other, high) = (stem.groups() for stem in stems if stem)
    whole = letter == other and len(low) == len(high) and 0 < int(high) - int(low) <= _MOST_CODES
    numbers = range(int(low), int(high) + 1) if whole else range(0)
    return [f"{letter}{number:0{len(low)}}%" for number in numbers]


def _is_code(token: Token) -> bool:
    if token.kind == "number":
        return token.text[0].isdigit()
    return token.kind in ("code", "name") and _CODE.fullmatch(token.text) is not None


def drugs(leaf: SqlLeaf, used: frozenset[int]) -> Found | None:
    """Quoted patterns, or drugs of the vocabulary behind a word for containing."""
    texts, known = leaf.texts, published_tables() | published_columns()
    places = {
        at
        for at, token in enumerate(leaf.tokens)
        if token.kind == "name" and at not in used and texts[at] not in known
    }
    named = {texts[at] for at in places} or _named_drugs(leaf)
    if not named:
        return None
    patterns = sorted(text if "%" in text else f"%{text}%" for text in named)
    return Drugs(patterns=tuple(patterns)), leaf.at({"drug", "prescriptions"}) | places


def _named_drugs(leaf: SqlLeaf) -> set[str]:
    verb = leaf.at({"contains", "contain", "containing", "like", "named"})
    if not verb:
        return set()
    text = " ".join(token.text for token in leaf.tokens[min(verb) + 1 :])
    return {mention.text.lower() for mention in find_drugs(text)}


def value_bounds(leaf: SqlLeaf, used: frozenset[int]) -> Found | None:
    """Bounds of a measured value."""
    bounds, columns = find_range(leaf.tokens), leaf.columns()
    if bounds is None or len(columns) > 1:
        return None
    check = ValueBounds(column="".join(columns), low=bounds.low, high=bounds.high)
    return check, bounds.used | leaf.at(columns)


def cohort(leaf: SqlLeaf, used: frozenset[int]) -> Found | None:
    """The whole cohort, compared with the gold's."""
    compared = leaf.words & {"gold", "reference", "same", "matches", "equals", "correct"}
    return (Cohort(), frozenset()) if compared else None


# How the query works: joins, groups, rounding, distinct values, measures, tables.

_JOINS = ("join", "joins", "joined", "joining", "links", "linked", "link")
_EXCLUDED = leaf_words("excluded")
_KEYS = leaf_words("key")
_PLURALS = {
    "patients": "subject_id",
    "subjects": "subject_id",
    "admissions": "hadm_id",
    "hospitalizations": "hadm_id",
    "stays": "stay_id",
}
_STATISTICS = ("mean", "median", "sd", "iqr", "min", "max", "sum")


def join(leaf: SqlLeaf, used: frozenset[int]) -> Found | None:
    """Tables that are joined, and the keys."""
    tables, keys = leaf.tables(), tuple(sorted(_KEYS & leaf.words))
    if len(tables) < 2 or not leaf.says(*_JOINS):
        return None
    return Join(tables=tables, keys=keys), leaf.at((*tables, *keys))


def group_by(leaf: SqlLeaf, used: frozenset[int]) -> Found | None:
    """The columns behind "group by"."""
    texts = leaf.texts
    groups = ("group", "groups", "grouped", "grouping")
    starts = [
        at for at in range(2, len(texts) + 1) if texts[at - 2] in groups and texts[at - 1] == "by"
    ]
    columns = [text for text in texts[starts[0] :] if text in published_columns()] if starts else []
    if not columns:
        return None
    return GroupBy(columns=tuple(sorted(set(columns)))), leaf.at(columns)


def rounding(leaf: SqlLeaf, used: frozenset[int]) -> Found | None:
    """A number of places."""
    numbers = list(leaf.numbers(used))
    if len(numbers) != 1:
        return None
    return Rounding(digits=int(leaf.tokens[numbers[0]].number or 0)), frozenset(numbers)


def distinct(leaf: SqlLeaf, used: frozenset[int]) -> Found | None:
    """The column whose distinct values are counted."""
    keys = leaf.words & _KEYS or {_PLURALS[word] for word in leaf.words & _PLURALS.keys()}
    return (Distinct(column=next(iter(keys))), leaf.at(_KEYS)) if len(keys) == 1 else None


def excludes_null(leaf: SqlLeaf, used: frozenset[int]) -> Found | None:
    """A column whose NULLs are left out."""
    excluded = leaf.words & _EXCLUDED or leaf.says("is not null", "not null", "non - null")
    if not excluded or len(leaf.columns()) != 1:
        return None
    [column] = leaf.columns()
    return ExcludesNull(column=column), leaf.at({column})


def measure(leaf: SqlLeaf, used: frozenset[int]) -> Found | None:
    """A statistic or a duration."""
    statistics = {name for name in _STATISTICS if leaf.says(*leaf_words(name))}
    percentiles = [float(text[:-2]) for text in _percentiles(leaf)]
    stay = leaf.says(*leaf_words("stay"))
    name = "length_of_stay" if stay else ("duration" if leaf.says("duration") else "value")
    stated = len(statistics) + bool(percentiles)
    if stated > 1 or (name == "value" and not stated):
        return None
    base = Measure(
        name=name,
        statistic="percentile" if percentiles else "".join(statistics),
        unit="".join(sorted(leaf.words & {"hours", "days"})) if name != "value" else "",
        columns=leaf.columns(),
    )
    arguments: list[float | None] = [*percentiles] or [None]
    measures = tuple(base.model_copy(update={"argument": at}) for at in arguments)
    check = AllOf(checks=measures) if len(measures) > 1 else measures[0]
    return check, leaf.at(leaf.columns())


def _percentiles(leaf: SqlLeaf) -> list[str]:
    """The ordinals before the word percentile: "25th, 50th and 75th percentile"."""
    texts = [token.text for token in leaf.tokens]
    percentiles: list[str] = []
    for at in (at for at, text in enumerate(texts) if text in ("percentile", "percentiles")):
        while at and (texts[at - 1] in (",", "and") or texts[at - 1][:-2].isdigit()):
            at -= 1
            percentiles += [texts[at]] if texts[at][:-2].isdigit() else []
    return sorted(percentiles)


def tables(leaf: SqlLeaf, used: frozenset[int]) -> Found | None:
    """Tables that are read."""
    names = leaf.tables()
    return (Tables(names=names), leaf.at(names)) if names else None
