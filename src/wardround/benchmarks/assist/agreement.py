"""Compares the raters of rubric items, each two of them: `wardround agreement RUN --human FILE`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random

import orjson

from wardround.benchmarks.assist.declaration import AgreementOptions
from wardround.benchmarks.assist.judged_items import (
    Decisions,
    Judged,
    JudgedRun,
    PlayedItem,
    Reasons,
    read_judged_run,
)
from wardround.benchmarks.assist.turns import PlayedCall
from wardround.benchmarks.kit.groups import Cell, grouped_by, in_turns
from wardround.benchmarks.kit.raters import (
    AGREEMENT_NOTE,
    agreement_rows,
    check_two,
    merged,
    raters_table,
)
from wardround.benchmarks.kit.sheets import SheetRow, read_sheet, write_sheet
from wardround.core.benchmark import Summary, Table
from wardround.core.errors import UserError
from wardround.core.record import TrialRecord
from wardround.core.work import WorkContext, WorkResult

_KEY = ("Run", "Session", "Trial", "Item")
_ANSWER = ("Met", "Person")
_COMMENT = "Comment"
_SHOWN = ("Scenario", "Tier", "Language", "Question", "Evidence", "Answer", "Criterion")
_READ = (*_KEY, *_ANSWER, _COMMENT)
COLUMNS = (*_KEY, *_SHOWN, *_ANSWER, _COMMENT)


def write_sample(path: Path, runs: Sequence[JudgedRun], sessions: int, seed: int) -> int:
    """Writes the items of sampled sessions, one a row, with an empty column for the decision.

    Returns:
        The number of played sessions in the sample.

    Raises:
        UserError: the file exists.
    """
    rows, sampled = [], 0
    for run in runs:
        chosen = {(t.task, t.trial) for t in stratified(run.trials, sessions, seed)}
        items = [each for each in run.items if (each.judged.session, each.judged.trial) in chosen]
        rows += list(_rows(items))
        sampled += len(chosen)
    write_sheet(path, COLUMNS, rows)
    return sampled


def stratified(trials: Sequence[TrialRecord], most: int, seed: int) -> list[TrialRecord]:
    """A random sample of trials with as many of each scenario, and then sessions, as possible.

    Args:
        trials: the trials, with the label `scenario`.
        most: the size of the sample.
        seed: the seed of the draw.
    """
    random = Random(seed)
    groups = grouped_by(trials, lambda trial: trial.labels.get("scenario", ""))
    drawn = [
        _sessions_first(random.sample(group, len(group))) for _, group in sorted(groups.items())
    ]
    return in_turns(drawn)[:most]


def read_people(
    sheets: Iterable[Path], judged_items: Mapping[Judged, PlayedItem]
) -> tuple[Decisions, Reasons]:
    """The decisions of people by name, and their comments; items without decision are left out.

    A person without a name has the name of the file.

    Raises:
        UserError: a file cannot be read, a cell is wrong, or a person decided an item both ways.
    """
    people, reasons = Decisions(), Reasons()
    for row in (row for sheet in sheets for row in read_sheet(sheet, _READ)):
        met = row.decision("Met")
        if met is None:
            continue
        judged, person = (
            _judged_of_row(row, judged_items),
            f"person:{row.cells['Person'] or row.path.stem}",
        )
        if people.setdefault(person, {}).setdefault(judged, met) != met:
            raise row.fault("Met", f"{person} decided this item otherwise before; leave one row.")
        reasons[person, judged] = row.cells[_COMMENT]
    return people, reasons


def _sessions_first(trials: Iterable[TrialRecord]) -> list[TrialRecord]:
    """Moves further trials of a session behind the first ones of all sessions."""
    return in_turns(grouped_by(trials, lambda trial: trial.task).values())


def _judged_of_row(row: SheetRow, judged_items: Mapping[Judged, PlayedItem]) -> Judged:
    cells = row.cells
    if not cells["Trial"].isdigit():
        raise row.fault("Trial", f"{cells['Trial']!r} is not a number of a trial.")
    judged = Judged(cells["Run"], cells["Session"], int(cells["Trial"]), cells["Item"])
    if judged not in judged_items:
        names = ", ".join(f"{name} {cells[name]}" for name in _KEY)
        raise row.fault("Item", f"no run that was named has {names}; leave these cells as written.")
    return judged


def _rows(items: Sequence[PlayedItem]) -> Iterator[tuple[object, ...]]:
    """A row an item; the evidence stands in the first row of a turn."""
    before = None
    for each in items:
        turn = (each.judged.session, each.judged.trial, each.turn)
        labels = each.session.labels
        yield (
            *each.judged,
            labels["scenario"],
            labels["tier"],
            each.language,
            each.played.question,
            _evidence(each) if turn != before else "",
            each.played.answer,
            each.text,
            "",
            "",
            "",
        )
        before = turn


def _evidence(item: PlayedItem) -> str:
    return "\n\n".join(
        f"{call.tool} {_arguments(call)}\n{call.result}" for call in item.played.calls
    )


def _arguments(call: PlayedCall) -> str:
    return orjson.dumps(call.arguments).decode()


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
    by_scenario = grouped_by(items.values(), lambda item: item.session.labels["scenario"])
    members = {name: {item.judged for item in group} for name, group in by_scenario.items()}
    groups = {name: members[name].__contains__ for name in sorted(members)}
    rows = agreement_rows(raters, {**groups, "all": items.__contains__})
    columns = ("Rater", "Rater 2", "Scenario", "Items", "Agreement", "Kappa")
    return Table("Agreement by item", columns, rows, AGREEMENT_NOTE)


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
