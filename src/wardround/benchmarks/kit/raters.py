"""Decisions of several raters on the same items, and their agreement."""

from collections.abc import Hashable, Iterable
from typing import TypeAlias, TypeVar

from wardround.benchmarks.kit.groups import Cell
from wardround.benchmarks.kit.tables import percent
from wardround.core.benchmark import Table
from wardround.core.errors import UserError
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


def merged(sources: Iterable[Raters[Item]]) -> Raters[Item]:
    """The decisions of several sources, by rater; of two on an item, the later source's counts."""
    together: Raters[Item] = {}
    for raters in sources:
        for rater, decisions in raters.items():
            together.setdefault(rater, {}).update(decisions)
    return {rater: decisions for rater, decisions in together.items() if decisions}


def check_two(raters: Raters[Item], remedy: str) -> None:
    """Refuses fewer than two raters.

    Raises:
        UserError: there are fewer; the remedy says what to do.
    """
    if len(raters) < 2:
        named = ", ".join(raters) or "none"
        raise UserError(f"Agreement needs two raters, and there is {named}; {remedy}.")


def raters_table(raters: Raters[Item], items: str, passed: str) -> Table:
    """The items that each rater decided, and the share that it passed.

    Args:
        raters: the decisions.
        items: the column of the items.
        passed: the column of the share.
    """
    rows = tuple(
        (name, len(decisions), percent(sum(decisions.values()) / len(decisions)))
        for name, decisions in raters.items()
    )
    return Table("Raters", ("Rater", items, passed), rows, f"{passed} in percent.")


def agreement_cells(found: Agreement) -> tuple[Cell, Cell, Cell]:
    """The cells of an agreement: items, percent, and kappa.

    >>> agreement_cells(Agreement(items=4, agreed=3, kappa=0.5))
    (4, 75.0, 0.5)
    """
    share = None if found.share is None else percent(found.share)
    return found.items, share, None if found.kappa is None else round(found.kappa, 3)
