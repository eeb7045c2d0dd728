"""The sheet on which people judge rubric items: a sample of a run's sessions, and its reading."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random

import orjson

from wardround.benchmarks.assist.review.judged_items import (
    Decisions,
    Judged,
    JudgedRun,
    PlayedItem,
    Reasons,
)
from wardround.benchmarks.assist.turns import PlayedCall
from wardround.benchmarks.kit.groups import grouped_by, in_turns
from wardround.benchmarks.kit.sheets import SheetRow, read_sheet, write_sheet
from wardround.core.record import TrialRecord

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
    sheets: Iterable[Path], known: Mapping[Judged, PlayedItem]
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
        judged, person = _judged(row, known), f"person:{row.cells['Person'] or row.path.stem}"
        if people.setdefault(person, {}).setdefault(judged, met) != met:
            raise row.fault("Met", f"{person} decided this item otherwise before; leave one row.")
        reasons[person, judged] = row.cells[_COMMENT]
    return people, reasons


def _sessions_first(trials: Iterable[TrialRecord]) -> list[TrialRecord]:
    """Moves further trials of a session behind the first ones of all sessions."""
    return in_turns(grouped_by(trials, lambda trial: trial.task).values())


def _judged(row: SheetRow, known: Mapping[Judged, PlayedItem]) -> Judged:
    cells = row.cells
    if not cells["Trial"].isdigit():
        raise row.fault("Trial", f"{cells['Trial']!r} is no number of a trial.")
    judged = Judged(cells["Run"], cells["Session"], int(cells["Trial"]), cells["Item"])
    if judged not in known:
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
