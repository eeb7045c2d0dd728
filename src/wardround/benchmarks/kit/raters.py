"""Decisions of several raters on the same items, and their agreement."""

from collections.abc import Hashable
from typing import TypeAlias, TypeVar

from wardround.benchmarks.kit.groups import Cell
from wardround.benchmarks.kit.tables import percent
from wardround.core.record import VerdictRecord
from wardround.core.verdict import Verdict
from wardround.scoring.agreement import Agreement

Item = TypeVar("Item", bound=Hashable)
# Decisions by rater and item.
Raters: TypeAlias = dict[str, dict[Item, bool]]


def rater_of(record: VerdictRecord) -> str:
    """The rater of a stored verdict: its source, with the name of its set if it has one."""
    source = record.verdict.source
    return f"{source} ({record.judge})" if record.judge else source


def add_decision(raters: Raters[Item], rater: str, item: Item, verdict: Verdict) -> None:
    """Adds a verdict; the last one counts, and an undecided one takes back an earlier one."""
    decisions = raters.setdefault(rater, {})
    decisions.pop(item, None)
    if verdict.state != "undecided":
        decisions[item] = verdict.passed


def agreement_cells(found: Agreement) -> tuple[Cell, Cell, Cell]:
    """The cells of an agreement: items, percent, and kappa.

    >>> agreement_cells(Agreement(items=4, agreed=3, kappa=0.5))
    (4, 75.0, 0.5)
    """
    share = None if found.share is None else percent(found.share)
    return found.items, share, None if found.kappa is None else round(found.kappa, 3)
