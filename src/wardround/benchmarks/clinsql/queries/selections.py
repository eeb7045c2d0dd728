"""Checks of codes, items and drugs: the rows that a leaf wants, and those that a query selects."""

import re
from collections.abc import Callable, Iterable, Sequence, Set
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from sqlglot import exp

from wardround.benchmarks.clinsql.checks.model import Codes, Drugs, Items
from wardround.benchmarks.clinsql.queries.facts import Condition, QueryFacts
from wardround.benchmarks.clinsql.queries.probes import Rows, is_computable, mask, masks
from wardround.benchmarks.clinsql.queries.vocabulary import (
    Vocabulary,
    is_code,
    item_ids,
    made_codes,
    made_drugs,
    with_items,
)
from wardround.benchmarks.kit.checks import Finding

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
        rows: their numbers.
        scope: the rows that the leaf is about.
        parts: all rows, in parts numbered through.
        name: the name of a row of a part.
        tables: the tables in which a query may select them.
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
            return _wanted_codes(check, queries, v)
        case Items():
            return _wanted_items(check, queries, v)
        case Drugs():
            return _wanted_drugs(check, v)


def _wanted_codes(check: Codes, queries: Sequence[QueryFacts], v: Vocabulary) -> Wanted:
    of = v.procedures if check.table == "procedures_icd" else v.diagnoses
    texts = [*check.patterns, *(text for facts in queries for text in _texts(facts))]
    parts = (of, made_codes(check.table, of, frozenset(texts)))
    scope = _numbered([_scope(check.table, check.version, part) for part in parts], parts)
    wanted = _numbered([_matching(check, part) for part in parts], parts)
    title = "d_icd_procedures" if check.table == "procedures_icd" else "d_icd_diagnoses"
    return Wanted(wanted, scope, parts, _code, (check.table, title))


def _wanted_items(check: Items, queries: Sequence[QueryFacts], v: Vocabulary) -> Wanted:
    numbers = {int(text) for facts in queries for text in _named_ids(facts)} | set(check.ids)
    rows = with_items(v.items, frozenset(numbers - item_ids(v.items)))
    wanted = {row for row, id in enumerate(rows.columns["itemid"]) if id in check.ids}
    tables = (*((check.table,) if check.table else _EVENTS), "d_items", "d_labitems")
    return Wanted(wanted, set(range(len(rows))), (rows,), _first_column, tables)


def _wanted_drugs(check: Drugs, v: Vocabulary) -> Wanted:
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


def _named_ids(facts: QueryFacts) -> list[str]:
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


@dataclass(frozen=True, slots=True)
class Selection:
    """The rows that a query selects, by number, and True if no condition was left out."""

    rows: Set[int]
    excluded: Set[int]
    whole: bool
    any: bool


def selected_rows(facts: QueryFacts, tables: tuple[str, ...], parts: Sequence[Rows]) -> Selection:
    """The rows that the conditions on any occurrence of the tables select.

    Args:
        facts: the facts of the query.
        tables: the tables.
        parts: rows of the same columns, numbered through.
    """
    selections, excluded, whole, any_found = set[int](), set[int](), True, False
    for occurrence, table in facts.tables.items():
        if table not in tables:
            continue
        groups = _groups(facts.conditions, occurrence, parts[0])
        _try_at_once([c for _, conditions, usable in groups if usable for c in conditions], parts)
        for role, conditions, usable in groups:
            any_found, whole = True, whole and usable
            numbers = _selected_numbers(conditions, parts) if usable else set()
            (excluded if role == "excluded" else selections).update(numbers)
    return Selection(selections, excluded, whole, any_found)


def _try_at_once(conditions: list[Condition], parts: Sequence[Rows]) -> None:
    """Tries all conditions in one query for each part; the rows remember them."""
    for part in parts:
        masks(conditions, part)


def _selected_numbers(conditions: list[Condition], parts: Sequence[Rows]) -> set[int]:
    """The numbers of the rows in which all conditions hold; none if they cannot be tried."""
    numbers, first = set[int](), 0
    for part in parts:
        found = mask(conditions, part)
        if found is None:
            return set()
        numbers.update((found.nonzero()[0] + first).tolist())
        first += len(part)
    return numbers


def _groups(
    conditions: Iterable[Condition], occurrence: str, rows: Rows
) -> list[tuple[str, list[Condition], bool]]:
    """The conditions on an occurrence that go together: its filters, and each flag with them."""
    mine = [
        c
        for c in conditions
        if any(x.db == occurrence for x in _columns(c, rows)) and not _is_elsewhere(c)
    ]
    usable = [c for c in mine if is_computable(c, rows)]
    filters = [c for c in usable if c.role != "flag"]
    base = filters
    whole = len(usable) == len(mine)
    flags = {c.flag: [o for o in usable if o.flag == c.flag] for c in usable if c.flag}
    found = [("flag", [*base, *parts], whole) for parts in flags.values()]
    # A version alone is no selection of codes.
    if any(any(x.name != "icd_version" for x in _columns(c, rows)) for c in filters):
        found.append((filters[0].role, base, whole))
    return found if found or whole else [("filter", [], False)]


def _is_elsewhere(condition: Condition) -> bool:
    """True if the selection is made by a flag that is aggregated, or in a subquery."""
    return condition.expression.find(exp.AggFunc) is not None or condition.reads("_query")


def _columns(condition: Condition, rows: Rows) -> list[exp.Column]:
    return [x for x in condition.expression.find_all(exp.Column) if x.name in rows.columns]


def decide_selection(
    check: SelectionCheck, facts: QueryFacts, gold: QueryFacts | None, v: Vocabulary
) -> Finding:
    """Passed if the query selects what the leaf wants, and nothing else than the gold does."""
    of = wanted_rows(check, [facts, *([gold] if gold else [])], v)
    if not of.rows:
        return Finding("undecided", "the requirement selects nothing")
    found = selected_rows(facts, of.tables, of.parts)
    if not found.any:
        known = found.whole and not facts.has_untraced
        return Finding("failed" if known else "undecided", f"nothing is selected in {of.tables[0]}")
    if not found.whole:
        return Finding("undecided", "a condition holds more than what is selected")
    kept = (found.rows or found.excluded) & of.scope
    if missing := of.rows - kept:
        return Finding("failed", f"it does not select {of.named(missing)}")
    allowed = selected_rows(gold, of.tables, of.parts) if gold else None
    more = kept - of.rows - ((allowed.rows | allowed.excluded) if allowed else set())
    if more and allowed and not allowed.whole:
        return Finding("undecided", "the gold's selection cannot be computed")
    if more:
        return Finding("failed", f"it also selects {of.named(more)}")
    return Finding("passed", f"it selects {of.named(of.rows)}")


def selects_others_only(checks: Sequence[SelectionCheck], facts: QueryFacts, v: Vocabulary) -> bool:
    """True if a query selects rows of the checks' tables, and none that any of them wants."""
    kept = []
    for check in checks:
        of = wanted_rows(check, [facts], v)
        found = selected_rows(facts, of.tables, of.parts)
        if not (found.any and found.whole) or found.rows & of.rows:
            return False
        kept.append(found.rows)
    return any(kept)
