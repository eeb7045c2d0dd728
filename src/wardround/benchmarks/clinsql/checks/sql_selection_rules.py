"""Rules for leaves about what a query selects: codes, items, drugs, plausible values, a cohort."""

import re
from collections.abc import Iterator

from wardround.benchmarks.clinsql.checks.leaf_bounds import find_range
from wardround.benchmarks.clinsql.checks.leaf_tokens import Token
from wardround.benchmarks.clinsql.checks.sql_checks import Codes, Cohort, Drugs, Items, ValueBounds
from wardround.benchmarks.clinsql.checks.sql_leaf import (
    Found,
    Rule,
    SqlLeaf,
    known_columns,
    known_tables,
)
from wardround.ehr.terms import find_drugs

# The letter and the digits of a code without its last parts.
_STEM = re.compile(r"([A-Z]?)(\d+)%?")
_MOST_CODES = 200
_CODE = re.compile(r"%?[A-Z]?\d[\dA-Z.]*[%_]*|%?[A-Z]\d[\dA-Z.]*[%_]*")


def codes(leaf: SqlLeaf, kinds: frozenset[str], used: frozenset[int]) -> Found | None:
    """ICD codes and prefixes, as LIKE patterns without dots."""
    versions = {int(t.number) for t in leaf.tokens if t.kind == "icd" and t.number}
    texts = [token.text.lower() for token in leaf.tokens]
    compared = {at for at in range(2, len(texts)) if texts[at - 2 : at] == ["icd_version", "="]} & {
        at for at, token in enumerate(leaf.tokens) if token.is_number
    }
    versions |= {int(leaf.tokens[at].number or 0) for at in compared}
    if not versions and not leaf.words & {"icd_code", "icd"}:
        return None
    places = [
        at for at, token in enumerate(leaf.tokens) if at not in used | compared and _is_code(token)
    ]
    if not places:
        return None
    patterns = sorted({pattern for group in _ranges(leaf, places) for pattern in group})
    if not patterns:
        return None
    pcs = any(token.text.endswith("PCS") for token in leaf.tokens)
    procedures = pcs or leaf.says("procedure", "procedures", "procedures_icd")
    explained = leaf.at({"icd_code", "icd_version", "diagnoses_icd", "procedures_icd"})
    check = Codes(
        table="procedures_icd" if procedures else "diagnoses_icd",
        version=(10 if versions == {10} else 9) if len(versions) == 1 else None,
        patterns=tuple(patterns),
    )
    return Found(check, explained | frozenset(places) | compared)


def _ranges(leaf: SqlLeaf, places: list[int]) -> Iterator[list[str]]:
    """The patterns of each code, and of all between two that a dash joins; none if unreadable."""
    texts = [token.text.lower() for token in leaf.tokens]
    skipped = set[int]()
    for at in places:
        joined = texts[at + 1 : at + 2] in (["-"], ["to"], ["through"]) and at + 2 in places
        if at not in skipped:
            last = leaf.tokens[at + 2].text if joined else leaf.tokens[at].text
            skipped |= {at + 2} if joined else set()
            yield _between(leaf.tokens[at].text, last)


def _between(first: str, last: str) -> list[str]:
    """The patterns of codes from one to another of the same length and letter.

    >>> _between("480", "482")
    ['480%', '481%', '482%']
    """
    if first == last:
        return [_pattern(first)]
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


def _pattern(text: str) -> str:
    code = text.replace(".", "")
    return code if "%" in code else f"{code}%"


def items(leaf: SqlLeaf, kinds: frozenset[str], used: frozenset[int]) -> Found | None:
    """Ids of five or six digits beside a word for items."""
    if not leaf.words & {"itemid", "itemids", "item", "items"}:
        return None
    places = [
        at
        for at, token in enumerate(leaf.tokens)
        if token.text.isdigit() and len(token.text) in (5, 6) and at not in used
    ]
    if not places:
        return None
    tables = leaf.tables()
    ids = tuple(sorted(int(leaf.tokens[at].text) for at in places))
    table = tables[0] if len(tables) == 1 else ""
    named = leaf.at({"itemid", "itemids"}) | (leaf.at(tables) if table else frozenset())
    return Found(Items(table=table, ids=ids), named | frozenset(places))


def drugs(leaf: SqlLeaf, kinds: frozenset[str], used: frozenset[int]) -> Found | None:
    """Quoted patterns beside a word for drugs."""
    if not leaf.words & {"drug", "drugs", "medication", "medications", "prescriptions"}:
        return None
    places = [
        at
        for at, token in enumerate(leaf.tokens)
        if token.kind == "name"
        and at not in used
        and token.text.lower() not in known_tables() | known_columns()
    ]
    texts = {leaf.tokens[at].text.lower() for at in places} or _named_drugs(leaf)
    if not texts:
        return None
    patterns = sorted(text if "%" in text else f"%{text}%" for text in texts)
    explained = frozenset(places) | leaf.at({"drug", "prescriptions"})
    return Found(Drugs(patterns=tuple(patterns)), explained)


def _named_drugs(leaf: SqlLeaf) -> set[str]:
    """The drugs behind a word for containing, by the vocabulary of drugs."""
    found = leaf.at({"contains", "contain", "containing", "like", "named"})
    if not found:
        return set()
    text = " ".join(token.text for token in leaf.tokens[min(found) + 1 :])
    return {mention.text.lower() for mention in find_drugs(text)}


def value_bounds(leaf: SqlLeaf, kinds: frozenset[str], used: frozenset[int]) -> Found | None:
    """Bounds of a measured value, where a sentence calls values plausible or excludes others."""
    about = leaf.words & {"plausible", "implausible", "outliers", "physiologic", "physiological"}
    bounds = find_range(leaf.tokens)
    if not (about or leaf.words & {"valuenum"}) or bounds is None or kinds & {"age", "items"}:
        return None
    columns = leaf.columns()
    if len(columns) > 1:
        return None
    check = ValueBounds(column="".join(columns), low=bounds.low, high=bounds.high)
    return Found(check, bounds.used | leaf.at(columns))


def cohort(leaf: SqlLeaf, kinds: frozenset[str], used: frozenset[int]) -> Found | None:
    """The whole cohort, compared with the gold's."""
    compared = leaf.words & {"gold", "reference", "same", "matches", "equals", "correct"}
    if "cohort" not in leaf.words or not compared or kinds:
        return None
    return Found(Cohort(), frozenset())


SELECTION_RULES: tuple[Rule, ...] = (items, codes, drugs, value_bounds, cohort)
