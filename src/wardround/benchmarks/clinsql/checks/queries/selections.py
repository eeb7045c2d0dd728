"""Checks of codes, items and drugs: the rows that a leaf wants, and those that a query selects."""

import re
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from sqlglot import exp

from wardround.benchmarks.clinsql.checks.queries.facts import Condition, QueryFacts, Role
from wardround.benchmarks.clinsql.checks.queries.probes import Rows, is_computable, mask, masks
from wardround.benchmarks.clinsql.checks.queries.vocabulary import (
    Vocabulary,
    is_code,
    item_ids,
    made_codes,
    made_drugs,
    with_items,
)
from wardround.benchmarks.clinsql.items.checks import Codes, Drugs, Items
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
        names = sorted(map(self._name, rows))
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        return ", ".join(names[:_MOST_NAMED]) + more

    def _name(self, row: int) -> str:
        for part in self.parts:
            if row < len(part):
                return self.name(part, row)
            row -= len(part)
        raise IndexError(row)


def wanted_rows(check: SelectionCheck, queries: Sequence[QueryFacts], words: Vocabulary) -> Wanted:
    """The rows that a leaf wants, out of a vocabulary and the rows that queries name."""
    match check:
        case Codes():
            return _wanted_codes(check, queries, words)
        case Items():
            return _wanted_items(check, queries, words)
        case Drugs():
            return _wanted_drugs(check, words)


def _wanted_codes(check: Codes, queries: Sequence[QueryFacts], words: Vocabulary) -> Wanted:
    known = words.procedures if check.table == "procedures_icd" else words.diagnoses
    texts = [*check.patterns, *(text for facts in queries for text in _texts(facts))]
    parts = (known, made_codes(check.table, known, frozenset(texts)))
    scope = _numbered([_scope(check.table, check.version, part) for part in parts], parts)
    wanted = _numbered([_matching(check, part) for part in parts], parts)
    title = "d_icd_procedures" if check.table == "procedures_icd" else "d_icd_diagnoses"
    return Wanted(wanted, scope, parts, _code, (check.table, title))


def _wanted_items(check: Items, queries: Sequence[QueryFacts], words: Vocabulary) -> Wanted:
    numbers = {int(text) for facts in queries for text in _named_ids(facts)} | set(check.ids)
    rows = with_items(words.items, frozenset(numbers - item_ids(words.items)))
    wanted = {row for row, id in enumerate(rows.columns["itemid"]) if id in check.ids}
    tables = (*((check.table,) if check.table else _EVENTS), "d_items", "d_labitems")
    return Wanted(wanted, set(range(len(rows))), (rows,), _first_column, tables)


def _wanted_drugs(check: Drugs, words: Vocabulary) -> Wanted:
    parts = (words.drugs, made_drugs(words.drugs, check.patterns))
    wanted = _numbered([_matching_drugs(check.patterns, part) for part in parts], parts)
    scope = set(range(sum(map(len, parts))))
    return Wanted(wanted, scope, parts, _first_column, ("prescriptions",))


def _numbered(selected: Sequence[Set[int]], parts: Sequence[Rows]) -> set[int]:
    """The rows of each part as numbers of all."""
    numbers, first = set[int](), 0
    for rows, part in zip(selected, parts, strict=True):
        numbers |= {first + row for row in rows} if first else rows
        first += len(part)
    return numbers


@lru_cache(_KEPT)
def _scope(table: str, version: int | None, rows: Rows) -> frozenset[int]:
    """The rows with a code of a table, and of one version if it is named."""
    pairs = zip(rows.columns["icd_code"], rows.columns["icd_version"], strict=True)
    return frozenset(
        row
        for row, (code, code_version) in enumerate(pairs)
        if version in (None, code_version) and is_code(table, code, code_version)
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
    by_id = [c for c in facts.conditions if c.reads("itemid")]
    return [n.name for c in by_id for n in c.expression.find_all(exp.Literal) if n.is_int]


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
    """The rows that a query selects or leaves out, by number.

    Attributes:
        rows: the rows that it selects.
        excluded: the rows that it leaves out.
        whole: no condition was left out.
        any: there is a condition.
    """

    rows: Set[int]
    excluded: Set[int]
    whole: bool
    any: bool


@dataclass(frozen=True, slots=True)
class _Group:
    """Conditions on one occurrence of a table that hold together; whole if all can be tried."""

    role: Role
    conditions: Sequence[Condition]
    whole: bool


def selected_rows(facts: QueryFacts, tables: tuple[str, ...], parts: Sequence[Rows]) -> Selection:
    """The rows that the conditions on any occurrence of the tables select.

    Args:
        facts: the facts of the query.
        tables: the tables.
        parts: rows of the same columns, numbered through.
    """
    groups = [
        group
        for occurrence, table in facts.tables.items()
        if table in tables
        for group in _groups(facts.conditions, occurrence, parts[0])
    ]
    usable = [group for group in groups if group.whole]
    for part in parts:  # all in one query; the rows remember them
        masks([condition for group in usable for condition in group.conditions], part)
    included, excluded = set[int](), set[int]()
    for group in usable:
        rows = _selected_numbers(group.conditions, parts)
        (excluded if group.role == "excluded" else included).update(rows)
    return Selection(included, excluded, len(usable) == len(groups), bool(groups))


def _selected_numbers(conditions: Sequence[Condition], parts: Sequence[Rows]) -> set[int]:
    """The numbers of the rows in which all conditions hold; none if they cannot be tried."""
    numbers, first = set[int](), 0
    for part in parts:
        row_mask = mask(conditions, part)
        if row_mask is None:
            return set()
        numbers.update((row_mask.nonzero()[0] + first).tolist())
        first += len(part)
    return numbers


def _groups(conditions: Iterable[Condition], occurrence: str, rows: Rows) -> list[_Group]:
    """The conditions on an occurrence that go together: its filters, and each flag with them."""
    mine = [
        c
        for c in conditions
        if any(x.db == occurrence for x in _columns(c, rows)) and not _is_elsewhere(c)
    ]
    usable = [c for c in mine if is_computable(c, rows)]
    filters = [c for c in usable if c.role != "flag"]
    whole = len(usable) == len(mine)
    flags = {c.flag: [o for o in usable if o.flag == c.flag] for c in usable if c.flag}
    groups = [_Group("flag", [*filters, *parts], whole) for parts in flags.values()]
    # A version alone does not select codes.
    if any(any(x.name != "icd_version" for x in _columns(c, rows)) for c in filters):
        groups.append(_Group(filters[0].role, filters, whole))
    return groups if groups or whole else [_Group("filter", [], False)]


def _is_elsewhere(condition: Condition) -> bool:
    """True if the selection is made by a flag that is aggregated, or in a subquery."""
    return condition.expression.find(exp.AggFunc) is not None or condition.reads("_query")


def _columns(condition: Condition, rows: Rows) -> list[exp.Column]:
    return [x for x in condition.expression.find_all(exp.Column) if x.name in rows.columns]


def decide_selection(
    check: SelectionCheck, facts: QueryFacts, gold: QueryFacts | None, words: Vocabulary
) -> Finding:
    """Passed if the query selects what the leaf wants, and nothing else than the gold does."""
    wanted = wanted_rows(check, [facts, *([gold] if gold else [])], words)
    if not wanted.rows:
        return Finding("undecided", "the requirement selects nothing")
    selected = selected_rows(facts, wanted.tables, wanted.parts)
    if not selected.any:
        known = selected.whole and not facts.has_untraced
        return Finding(
            "failed" if known else "undecided", f"nothing is selected in {wanted.tables[0]}"
        )
    if not selected.whole:
        return Finding("undecided", "a condition holds more than what is selected")
    in_scope = (selected.rows or selected.excluded) & wanted.scope
    if missing := wanted.rows - in_scope:
        return Finding("failed", f"it does not select {wanted.named(missing)}")
    allowed = selected_rows(gold, wanted.tables, wanted.parts) if gold else None
    more = in_scope - wanted.rows - ((allowed.rows | allowed.excluded) if allowed else set())
    if more and allowed and not allowed.whole:
        return Finding("undecided", "the gold's selection cannot be computed")
    if more:
        return Finding("failed", f"it also selects {wanted.named(more)}")
    return Finding("passed", f"it selects {wanted.named(wanted.rows)}")


def selects_others_only(
    checks: Sequence[SelectionCheck], facts: QueryFacts, words: Vocabulary
) -> bool:
    """True if a query selects rows of the checks' tables, and none that any of them wants."""
    row_sets = []
    for check in checks:
        wanted = wanted_rows(check, [facts], words)
        selected = selected_rows(facts, wanted.tables, wanted.parts)
        if not (selected.any and selected.whole) or selected.rows & wanted.rows:
            return False
        row_sets.append(selected.rows)
    return any(row_sets)
