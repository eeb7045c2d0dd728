"""The rows of vocabularies that a leaf wants a query to select: codes, items and drugs."""

import re
from collections.abc import Callable, Iterable, Sequence, Set
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from sqlglot import exp

from wardround.benchmarks.clinsql.checks.probes import Rows
from wardround.benchmarks.clinsql.checks.query_facts import Condition, QueryFacts
from wardround.benchmarks.clinsql.checks.sql_checks import Codes, Drugs, Items
from wardround.benchmarks.clinsql.checks.vocabulary import (
    Vocabulary,
    is_code,
    item_ids,
    made_codes,
    made_drugs,
    with_items,
)

SelectionCheck: TypeAlias = Codes | Items | Drugs
_MOST_NAMED = 8
_KEPT = 512
_EVENTS = (
    *("labevents", "chartevents", "procedureevents", "inputevents", "outputevents"),
    *("datetimeevents", "ingredientevents"),
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """The rows that a leaf wants.

    Attributes:
        rows: Their numbers.
        scope: The rows that the leaf is about.
        parts: All rows, in parts numbered through.
        name: The name of a row of a part.
        tables: The tables in which a query may select them.
    """

    rows: Set[int]
    scope: Set[int]
    parts: tuple[Rows, ...]
    name: Callable[[Rows, int], str]
    tables: tuple[str, ...]

    def named(self, rows: Iterable[int]) -> str:
        """The names of some rows, sorted; only the first if they are many."""
        found = sorted(map(self._name, rows))
        more = f" and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
        return ", ".join(found[:_MOST_NAMED]) + more

    def _name(self, row: int) -> str:
        for part in self.parts:
            if row < len(part):
                return self.name(part, row)
            row -= len(part)
        raise IndexError(row)


def wanted_rows(check: SelectionCheck, queries: Sequence[QueryFacts], v: Vocabulary) -> Wanted:
    """The rows that a leaf wants, among those of a vocabulary and those that queries name."""
    match check:
        case Codes():
            return _codes(check, queries, v)
        case Items():
            return _items(check, queries, v)
        case Drugs():
            return _drugs(check, v)


def _codes(check: Codes, queries: Sequence[QueryFacts], v: Vocabulary) -> Wanted:
    of = v.procedures if check.table == "procedures_icd" else v.diagnoses
    texts = [*check.patterns, *(text for facts in queries for text in _texts(facts))]
    parts = (of, made_codes(check.table, of, frozenset(texts)))
    scope = _numbered([_scope(check.table, check.version, part) for part in parts], parts)
    wanted = _numbered([_matching(check, part) for part in parts], parts)
    title = "d_icd_procedures" if check.table == "procedures_icd" else "d_icd_diagnoses"
    return Wanted(wanted, scope, parts, _code, (check.table, title))


def _items(check: Items, queries: Sequence[QueryFacts], v: Vocabulary) -> Wanted:
    numbers = {int(text) for facts in queries for text in _numbers(facts)} | set(check.ids)
    rows = with_items(v.items, frozenset(numbers - item_ids(v.items)))
    wanted = {row for row, id in enumerate(rows.columns["itemid"]) if id in check.ids}
    tables = (*((check.table,) if check.table else _EVENTS), "d_items", "d_labitems")
    return Wanted(wanted, set(range(len(rows))), (rows,), _first_column, tables)


def _drugs(check: Drugs, v: Vocabulary) -> Wanted:
    parts = (v.drugs, made_drugs(v.drugs, check.patterns))
    wanted = _numbered([_matching_drugs(check.patterns, part) for part in parts], parts)
    scope = set(range(sum(map(len, parts))))
    return Wanted(wanted, scope, parts, _first_column, ("prescriptions",))


def _numbered(found: Sequence[AbstractSet[int]], parts: Sequence[Rows]) -> set[int]:
    """The rows of each part as numbers of all."""
    numbers, first = set[int](), 0
    for rows, part in zip(found, parts, strict=True):
        numbers |= {first + row for row in rows} if first else rows
        first += len(part)
    return numbers


@lru_cache(_KEPT)
def _scope(table: str, version: int | None, rows: Rows) -> frozenset[int]:
    """The rows with a code of a table, and of one version if it is named."""
    pairs = zip(rows.columns["icd_code"], rows.columns["icd_version"], strict=True)
    return frozenset(
        row
        for row, (code, its) in enumerate(pairs)
        if version in (None, its) and is_code(table, code, its)
    )


@lru_cache(_KEPT)
def _matching(check: Codes, rows: Rows) -> frozenset[int]:
    """The rows within a check's scope whose code is LIKE one of its patterns."""
    fits, codes = _like(*check.patterns), rows.columns["icd_code"]
    return frozenset(
        row for row in _scope(check.table, check.version, rows) if fits(str(codes[row]))
    )


@lru_cache(_KEPT)
def _matching_drugs(patterns: tuple[str, ...], rows: Rows) -> frozenset[int]:
    fits = _like(*(pattern.lower() for pattern in patterns))
    names = enumerate(rows.columns["drug"])
    return frozenset(row for row, name in names if fits(str(name).lower()))


def _texts(facts: QueryFacts) -> list[str]:
    codes = [c for c in facts.conditions if c.reads("icd_code", "long_title")]
    return [re.sub(r"^\^|\$$", "", p) for c in codes for t in _strings(c) for p in _choices(t)]


def _strings(condition: Condition) -> list[str]:
    return [
        literal.name for literal in condition.expression.find_all(exp.Literal) if literal.is_string
    ]


def _choices(pattern: str) -> list[str]:
    """The alternatives of a pattern, as of a regular expression."""
    return [part for part in re.split(r"[|()^$]", pattern) if part]


def _numbers(facts: QueryFacts) -> list[str]:
    found = [c for c in facts.conditions if c.reads("itemid")]
    return [n.name for c in found for n in c.expression.find_all(exp.Literal) if n.is_int]


def _like(*patterns: str) -> Callable[[str], bool]:
    """A matcher of texts that are LIKE one of the patterns.

    >>> _like("I5_%")("I509"), _like("428")("4280")
    (True, False)
    """
    parts = {"%": ".*", "_": "."}
    forms = ("".join(parts.get(c, re.escape(c)) for c in pattern) for pattern in patterns)
    matcher = re.compile("|".join(forms), re.DOTALL)
    return lambda text: matcher.fullmatch(text) is not None


def _code(part: Rows, row: int) -> str:
    return f"{part.columns['icd_code'][row]} (ICD-{part.columns['icd_version'][row]})"


def _first_column(part: Rows, row: int) -> str:
    return str(next(iter(part.columns.values()))[row])
