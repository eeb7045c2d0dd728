"""Rows that the conditions of a query select."""

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

from sqlglot import exp

from wardround.benchmarks.clinsql.checks.probes import Rows, is_computable, mask, masks
from wardround.benchmarks.clinsql.checks.query_facts import Condition, QueryFacts


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
        facts: The facts of the query.
        tables: The tables.
        parts: Rows of the same columns, numbered through.
    """
    selections, excluded, whole, any_found = set[int](), set[int](), True, False
    for occurrence, table in facts.tables.items():
        if table not in tables:
            continue
        groups = _groups(facts.conditions, occurrence, parts[0])
        _try_at_once([c for _, conditions, usable in groups if usable for c in conditions], parts)
        for role, conditions, usable in groups:
            any_found, whole = True, whole and usable
            numbers = _numbers(conditions, parts) if usable else set()
            (excluded if role == "excluded" else selections).update(numbers)
    return Selection(selections, excluded, whole, any_found)


def _try_at_once(conditions: list[Condition], parts: Sequence[Rows]) -> None:
    """Tries all conditions in one query for each part; the rows remember them."""
    for part in parts:
        masks(conditions, part)


def _numbers(conditions: list[Condition], parts: Sequence[Rows]) -> set[int]:
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
