"""Checks of codes, items and drugs, by the rows that a query's conditions select."""

import re
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache

from sqlglot import exp

from wardround.benchmarks.clinsql.checks.model import Finding
from wardround.benchmarks.clinsql.checks.probes import Rows
from wardround.benchmarks.clinsql.checks.query_facts import Condition, QueryFacts
from wardround.benchmarks.clinsql.checks.selected_rows import selected_rows
from wardround.benchmarks.clinsql.checks.sql_checks import Codes, Drugs, Items
from wardround.benchmarks.clinsql.checks.vocabulary import (
    Vocabulary,
    is_code,
    item_ids,
    made_codes,
    made_drugs,
    with_items,
)

_MOST_NAMED = 8
_KEPT = 512


@dataclass(frozen=True, slots=True)
class Wanted:
    """The rows that a leaf wants.

    Attributes:
        rows: Their numbers.
        scope: The rows that the leaf is about.
        parts: All rows, in parts numbered through.
        name: The name of a row of a part.
    """

    rows: set[int]
    scope: set[int]
    parts: tuple[Rows, ...]
    name: Callable[[Rows, int], str]

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


def decide_codes(
    check: Codes, facts: QueryFacts, gold: QueryFacts | None, v: Vocabulary
) -> Finding:
    """Passed if the query selects the codes of the patterns, and no others than the gold does."""
    of = v.procedures if check.table == "procedures_icd" else v.diagnoses
    texts = [*check.patterns, *_texts(facts), *(_texts(gold) if gold else ())]
    parts = (of, made_codes(check.table, of, frozenset(texts)))
    scope = _numbered([_scope(check.table, check.version, part) for part in parts], parts)
    wanted = _numbered([_matching(check, part) for part in parts], parts)
    title = "d_icd_procedures" if check.table == "procedures_icd" else "d_icd_diagnoses"
    return _compared(Wanted(wanted, scope, parts, _code), (check.table, title), facts, gold)


def decide_items(
    check: Items, facts: QueryFacts, gold: QueryFacts | None, v: Vocabulary
) -> Finding:
    """Passed if the query selects the items, and no others than the gold does."""
    numbers = {int(text) for q in (facts, gold) if q for text in _numbers(q)} | set(check.ids)
    rows = with_items(v.items, frozenset(numbers - item_ids(v.items)))
    wanted = {row for row, id in enumerate(rows.columns["itemid"]) if id in check.ids}
    tables = (check.table,) if check.table else _EVENTS
    of = Wanted(wanted, set(range(len(rows))), (rows,), _first_column)
    return _compared(of, (*tables, "d_items", "d_labitems"), facts, gold)


def decide_drugs(
    check: Drugs, facts: QueryFacts, gold: QueryFacts | None, v: Vocabulary
) -> Finding:
    """Passed if the query selects the drugs of the patterns, and no others than the gold does."""
    parts = (v.drugs, made_drugs(v.drugs, check.patterns))
    wanted = _numbered([_matching_drugs(check.patterns, part) for part in parts], parts)
    scope = set(range(sum(map(len, parts))))
    return _compared(Wanted(wanted, scope, parts, _first_column), ("prescriptions",), facts, gold)


_EVENTS = (
    *("labevents", "chartevents", "procedureevents", "inputevents", "outputevents"),
    *("datetimeevents", "ingredientevents"),
)


def _compared(
    of: Wanted, tables: tuple[str, ...], facts: QueryFacts, gold: QueryFacts | None
) -> Finding:
    """Compares what a query selects with what a leaf wants, within the scope of the leaf."""
    if not of.rows:
        return Finding("undecided", "the requirement selects nothing")
    found = selected_rows(facts, tables, of.parts)
    if not found.any:
        known = found.whole and not any(c.reads("_") for c in facts.conditions)
        return Finding("failed" if known else "undecided", f"nothing is selected in {tables[0]}")
    if not found.whole:
        return Finding("undecided", "a condition holds more than what is selected")
    kept = (found.rows or found.excluded) & of.scope
    if missing := of.rows - kept:
        return Finding("failed", f"it does not select {of.named(missing)}")
    allowed = selected_rows(gold, tables, of.parts) if gold else None
    more = kept - of.rows - ((allowed.rows | allowed.excluded) if allowed else set())
    if more and allowed and not allowed.whole:
        return Finding("undecided", "the gold's selection cannot be computed")
    if more:
        return Finding("failed", f"it also selects {of.named(more)}")
    return Finding("passed", f"it selects {of.named(of.rows)}")


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
