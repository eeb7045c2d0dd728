"""Checks of codes, items and drugs, by the rows that a query's conditions select."""

from collections.abc import Sequence

from wardround.benchmarks.clinsql.checks.model import Finding
from wardround.benchmarks.clinsql.checks.query_facts import QueryFacts
from wardround.benchmarks.clinsql.checks.selected_rows import selected_rows
from wardround.benchmarks.clinsql.checks.vocabulary import Vocabulary
from wardround.benchmarks.clinsql.checks.wanted_rows import SelectionCheck, wanted_rows


def decide_selection(
    check: SelectionCheck, facts: QueryFacts, gold: QueryFacts | None, v: Vocabulary
) -> Finding:
    """Passed if the query selects what the leaf wants, and nothing else than the gold does."""
    of = wanted_rows(check, [facts, *([gold] if gold else [])], v)
    if not of.rows:
        return Finding("undecided", "the requirement selects nothing")
    found = selected_rows(facts, of.tables, of.parts)
    if not found.any:
        known = found.whole and not any(c.reads("_") for c in facts.conditions)
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
