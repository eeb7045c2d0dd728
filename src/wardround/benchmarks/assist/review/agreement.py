"""Compares the raters of rubric items, each two of them: `wardround agreement RUN --human FILE`.

The paper compares its judge with people on 128 turns of 32 sessions (PhysAssistBench, C).
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from pathlib import Path

from wardround.benchmarks.assist.declaration import AgreementOptions
from wardround.benchmarks.assist.review.human_sheet import read_people, write_sample
from wardround.benchmarks.assist.review.judged_items import (
    Decisions,
    Judged,
    JudgedRun,
    PlayedItem,
    Reasons,
    read_judged_run,
)
from wardround.benchmarks.kit.groups import Cell
from wardround.benchmarks.kit.raters import agreement_cells, check_two, merged, raters_table
from wardround.core.benchmark import Summary, Table
from wardround.core.errors import UserError
from wardround.core.work import WorkContext, WorkResult
from wardround.scoring.agreement import agreement

_NOTE = (
    "Items that both raters decided, agreement in percent, and Cohen's kappa, which is missing "
    "where both raters give every item the same decision."
)


def compare_raters(options: AgreementOptions, context: WorkContext[object]) -> WorkResult:
    """Compares programs, judges and people on a run's items; writes a sample for people if asked.

    Raises:
        UserError: a source cannot be read, or there are fewer than two raters and no sample.
    """
    runs = _runs(options.runs)
    items = {item.judged: item for run in runs for item in run.items}
    people, comments = read_people(options.human, items)
    raters = merged([*(run.decisions for run in runs), people])
    if not options.sample:
        check_two(raters, "write a sample for people with --sample, and read it with --human")
    reasons = comments | {key: reason for run in runs for key, reason in run.reasons.items()}
    tables = {"raters": raters_table(raters, "Items", "Met")}
    if len(raters) > 1:
        tables["agreement"] = agreement_table(raters, items)
        tables["disagreements"] = disagreements_table(raters, items, reasons)
    notes = (_sampled(options.sample, runs, options),) if options.sample else ()
    return WorkResult(Summary(tables), notes, values={"items": len(items)})


def _runs(folders: Iterable[Path]) -> list[JudgedRun]:
    """Reads runs, which sheets tell apart by the names of their folders."""
    runs: dict[str, JudgedRun] = {}
    for folder in folders:
        run = read_judged_run(folder)
        if run.name in runs:
            raise UserError(f"Two runs have the name {run.name}; rename the folder {folder}.")
        runs[run.name] = run
    return list(runs.values())


def agreement_table(raters: Decisions, items: Mapping[Judged, PlayedItem]) -> Table:
    """The agreement of each two raters by scenario and over all."""
    scenarios = sorted({item.session.labels["scenario"] for item in items.values()})
    rows: list[tuple[Cell, ...]] = []
    for first, second in combinations(raters, 2):
        for scenario in (*scenarios, "all"):
            of_scenario = {
                judged: met
                for judged, met in raters[first].items()
                if scenario in ("all", items[judged].session.labels["scenario"])
            }
            found = agreement(of_scenario, raters[second])
            if found.items:
                rows.append((first, second, scenario, *agreement_cells(found)))
    columns = ("Rater", "Rater 2", "Scenario", "Items", "Agreement", "Kappa")
    return Table("Agreement by item", columns, tuple(rows), _NOTE)


def disagreements_table(
    raters: Decisions,
    items: Mapping[Judged, PlayedItem],
    reasons: Reasons,
) -> Table:
    """The items on which two raters disagree, with their reasons."""
    rows = tuple(_disagreements(raters, items, reasons))
    columns = ("Session", "Trial", "Item", "Criterion", "Met by", "Not met by", "Reasons")
    return Table("Disagreements", columns, rows)


def _disagreements(
    raters: Decisions,
    items: Mapping[Judged, PlayedItem],
    reasons: Reasons,
) -> Iterator[tuple[Cell, ...]]:
    for judged, item in items.items():
        by_decision: dict[bool, list[str]] = {True: [], False: []}
        for rater, decided in raters.items():
            if judged in decided:
                by_decision[decided[judged]].append(rater)
        if all(by_decision.values()):
            given = {rater: reasons.get((rater, judged)) for rater in raters}
            met, not_met = (", ".join(by_decision[each]) for each in (True, False))
            why = " / ".join(f"{rater}: {reason}" for rater, reason in given.items() if reason)
            yield judged.session, judged.trial, judged.item, item.text, met, not_met, why


def _sampled(path: Path, runs: list[JudgedRun], options: AgreementOptions) -> str:
    count = write_sample(path, runs, options.sessions, options.seed)
    return (
        f"{path} holds the items of {count} played sessions. Fill in the column Met with yes "
        f"or no, then compare with --human {path}."
    )
