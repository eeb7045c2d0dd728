"""Verdicts of programs: whether the query ran, and the leaves that a check decides."""

from collections.abc import Iterator

from wardround.benchmarks.clinsql.execution import Execution
from wardround.benchmarks.clinsql.leaf_verdicts import CHECKS, QUERY, RAN
from wardround.benchmarks.clinsql.tasks import ClinTask, leaf_items
from wardround.core.verdict import Verdict, state_of, verdict_key

NO_CHECK = "no program decides it; name a judge with --role-model judge=PROVIDER:NAME"
NO_ROW = "the query gives no row"


def ran_verdict(task: ClinTask, sql: str, outcome: Execution) -> Verdict:
    """Passed if the query gave rows; the reason names the kind of its error, not its text."""
    reason = "" if outcome.rows else NO_ROW
    if not outcome.succeeded:
        reason = f"the query fails ({outcome.kind})"
    key = verdict_key(RAN, task.id, sql)
    return Verdict(QUERY, RAN, state_of(bool(outcome.rows)), reason=reason, key=key)


def undecided_leaves(task: ClinTask, sql: str, decided: set[str]) -> Iterator[Verdict]:
    """An undecided verdict on each leaf that nobody decides."""
    for item in leaf_items(task.hidden):
        if item not in decided:
            key = verdict_key(CHECKS, item, sql)
            yield Verdict(item, CHECKS, "undecided", reason=NO_CHECK, key=key)
