"""Decisions of several raters on the same items, and their agreement."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from itertools import combinations
from pathlib import Path
from typing import TypeAlias, TypeVar

from wardround.benchmarks.kit.compared_runs import run_settings
from wardround.benchmarks.kit.groups import Cell
from wardround.benchmarks.kit.tables import percent
from wardround.core.benchmark import Table
from wardround.core.errors import UserError
from wardround.core.record import VerdictRecord
from wardround.core.run_reader import read_verdicts
from wardround.core.task import Suite
from wardround.core.verdict import Verdict
from wardround.scoring.agreement import Agreement, agreement

Item = TypeVar("Item", bound=Hashable)
# Decisions by rater and item.
Raters: TypeAlias = dict[str, dict[Item, bool]]
AGREEMENT_NOTE = (
    "Items that both raters decided, agreement in percent, and Cohen's kappa, which is missing "
    "where both raters give every item the same decision."
)


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


def run_raters(
    folder: Path, judged: Callable[[VerdictRecord], Item | None]
) -> tuple[Raters[Item], dict[tuple[str, Item], str]]:
    """Reads the raters of a run's verdicts: their decisions, and their reasons by rater and item.

    Args:
        folder: the run.
        judged: the item that a verdict decides; None leaves the verdict out.
    """
    raters: Raters[Item] = {}
    reasons: dict[tuple[str, Item], str] = {}
    for record in read_verdicts(folder):
        item = judged(record)
        if item is not None:
            rater = rater_of(record)
            add_decision(raters, rater, item, record.verdict)
            reasons[rater, item] = record.verdict.reason
    return raters, reasons


def run_suite(
    folder: Path, benchmark: str, load: Callable[[Path], Suite], *shipped: Callable[[], Suite]
) -> Suite:
    """Reads the tasks of a run where it read them.

    Raises:
        UserError: the folder is not a run of the benchmark, or its tasks cannot be read.
    """
    source = run_settings(folder, benchmark)["tasks"]["source"]
    suites = (read() for read in shipped)
    return next((suite for suite in suites if suite.source == source), None) or load(Path(source))


def pair_agreements(
    raters: Raters[Item], groups: Mapping[str, Callable[[Item], bool]]
) -> Iterator[tuple[str, str, dict[str, Agreement]]]:
    """Yields each two raters that decided a common item, with their agreement by group.

    Args:
        raters: the decisions.
        groups: a test of membership for each group of items.
    """
    for first, second in combinations(raters, 2):
        by_group = {
            name: agreement(
                {item: passed for item, passed in raters[first].items() if is_member(item)},
                raters[second],
            )
            for name, is_member in groups.items()
        }
        if any(each.items for each in by_group.values()):
            yield first, second, by_group


def agreement_rows(
    raters: Raters[Item], groups: Mapping[str, Callable[[Item], bool]]
) -> tuple[tuple[Cell, ...], ...]:
    """A row for each two raters and group: their names, the group, and `agreement_cells`."""
    return tuple(
        (first, second, group, *agreement_cells(each))
        for first, second, by_group in pair_agreements(raters, groups)
        for group, each in by_group.items()
        if each.items
    )


def agreement_cells(agreement: Agreement) -> tuple[Cell, Cell, Cell]:
    """The cells of an agreement: items, percent, and kappa.

    >>> agreement_cells(Agreement(items=4, agreed=3, kappa=0.5))
    (4, 75.0, 0.5)
    """
    share = None if agreement.share is None else percent(agreement.share)
    return agreement.items, share, None if agreement.kappa is None else round(agreement.kappa, 3)
