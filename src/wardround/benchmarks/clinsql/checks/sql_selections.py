"""Checks of codes, items and drugs, by the rows that a query's conditions select."""

from collections.abc import Iterable, Sequence

from wardround.benchmarks.clinsql.checks.model import Finding
from wardround.benchmarks.clinsql.checks.query_facts import QueryFacts
from wardround.benchmarks.clinsql.checks.selected_rows import selected_rows
from wardround.benchmarks.clinsql.checks.sought_rows import (
    SelectionCheck,
    Vocabulary,
    sought_rows,
)

_MOST_NAMED = 8


def decide_selection(
    check: SelectionCheck, facts: QueryFacts, gold: QueryFacts | None, v: Vocabulary
) -> Finding:
    """Passed if the query selects what the leaf wants, and nothing else than the gold does."""
    sought = sought_rows(check, v, [facts, *([gold] if gold else [])])
    if not sought.wanted:
        return Finding("undecided", "the requirement selects nothing")
    found = selected_rows(facts, sought.tables, sought.rows)
    if not found.any:
        known = found.whole and not any(c.reads("_") for c in facts.conditions)
        return Finding(
            "failed" if known else "undecided", f"nothing is selected in {sought.tables[0]}"
        )
    if not found.whole:
        return Finding("undecided", "a condition holds more than what is selected")
    kept = (found.rows or found.excluded) & sought.scope
    if missing := sought.wanted - kept:
        return Finding("failed", f"it does not select {_named(missing, sought.names)}")
    allowed = selected_rows(gold, sought.tables, sought.rows) if gold else None
    more = kept - sought.wanted - ((allowed.rows | allowed.excluded) if allowed else set())
    if more and allowed and not allowed.whole:
        return Finding("undecided", "the gold's selection cannot be computed")
    if more:
        return Finding("failed", f"it also selects {_named(more, sought.names)}")
    return Finding("passed", f"it selects {_named(sought.wanted, sought.names)}")


def selects_others_only(checks: Sequence[SelectionCheck], facts: QueryFacts, v: Vocabulary) -> bool:
    """True if a query selects rows of the checks' tables, and none that any of them wants."""
    kept = []
    for check in checks:
        sought = sought_rows(check, v, [facts])
        found = selected_rows(facts, sought.tables, sought.rows)
        if not (found.any and found.whole) or found.rows & sought.wanted:
            return False
        kept.append(found.rows)
    return any(kept)


def _named(rows: Iterable[int], names: Sequence[str]) -> str:
    found = sorted(names[row] for row in rows)
    more = f" and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
    return ", ".join(found[:_MOST_NAMED]) + more
