"""Compares the two findings of a turn: which is earlier, or whether both are alike."""

from collections.abc import Mapping
from typing import Any

from wardround.authoring.assist.facts.findings import Finding, Slot
from wardround.authoring.assist.facts.sources import Computed
from wardround.authoring.assist.planning.drafts import Draft
from wardround.benchmarks.assist.checks.decider import stored_check
from wardround.benchmarks.assist.checks.facts.items import FactItem
from wardround.benchmarks.assist.checks.items import Term
from wardround.benchmarks.assist.sessions import LANGUAGES

# The rank that an item names, by the kind of the findings.
_RANKS = {"order": "earlier", "given": "later", "first_given": "later"}


def compared_slot(finding: Finding) -> Slot:
    """The value of a finding that is compared: its direction, else its day."""
    return finding.slots["direction" if finding.kind == "lab_course" else "day"]


def ranked_findings(draft: Draft) -> tuple[Finding, ...]:
    """The two findings of a turn, the earlier one first; none if both are alike.

    Orders and doses are compared by time, and courses are only alike or not.
    """
    first, second = draft.findings
    if _rank(first) == _rank(second):
        return ()
    return (first, second) if _rank(first) < _rank(second) else (second, first)


def differ_in_time_only(draft: Draft) -> bool:
    """True if the findings of a turn are of the same day, and one is later."""
    days = {compared_slot(each).source.value for each in draft.findings}
    return draft.findings[0].kind in _RANKS and len(days) == 1 and bool(ranked_findings(draft))


def comparison_check(draft: Draft) -> Mapping[str, Any]:
    """The check of the item about how the findings of a turn compare."""
    ranked, kind = ranked_findings(draft), draft.findings[0].kind
    if kind == "lab_course":
        item = FactItem(aspect="alike", word="different ways" if ranked else "same way")
    elif not ranked:
        item = FactItem(aspect="alike", word="same time")
    else:
        earlier, later = (Term(kind="drug", name=each.entity.name) for each in ranked)
        rank = _RANKS[kind]
        named, other = (earlier, later) if rank == "earlier" else (later, earlier)
        item = FactItem(aspect="rank", term=named, subject=other, word=rank)
    return stored_check(dict.fromkeys(LANGUAGES, item))


def _rank(finding: Finding) -> str:
    """The value by which a finding is compared; the time for doses and orders."""
    source = compared_slot(finding).source
    if finding.kind in _RANKS and isinstance(source, Computed):
        return str(source.of[0].value)
    return str(source.value)
