"""The sheet on which people judge rubric items: a sample of a run's sessions, and its reading."""

from collections.abc import Iterator, Mapping, Sequence
from math import ceil
from pathlib import Path
from random import Random

from wardround.benchmarks.assist.judged_items import Decisions, Judged, JudgedRun, PlayedItem
from wardround.benchmarks.kit.groups import grouped_by
from wardround.benchmarks.kit.sheets import SheetRow, read_sheet, write_sheet
from wardround.core.record import TrialRecord

_KEY = ("Run", "Session", "Trial", "Item")
_ANSWER = ("Met", "Person")
_SHOWN = ("Scenario", "Tier", "Language", "Question", "Evidence", "Answer", "Criterion")
COLUMNS = (*_KEY, *_SHOWN, *_ANSWER, "Comment")


def write_sample(path: Path, runs: Sequence[JudgedRun], sessions: int, seed: int) -> int:
    """Writes the items of sampled sessions, one a row, with an empty column for the decision.

    Returns:
        The number of sessions in the sample.

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
    """A random sample of trials with as many of each scenario as possible.

    Args:
        trials: the trials, with the label `scenario`.
        most: the size of the sample.
        seed: the seed of the draw.
    """
    random = Random(seed)
    groups = grouped_by(trials, lambda trial: trial.labels.get("scenario", ""))
    drawn = [random.sample(group, len(group)) for _, group in sorted(groups.items())]
    share = ceil(most / max(len(drawn), 1))
    # A scenario after another, so that what is left out is spread evenly.
    in_turns = [group[place] for place in range(share) for group in drawn if place < len(group)]
    return in_turns[:most]


def read_people(path: Path, known: Mapping[Judged, PlayedItem]) -> Decisions:
    """The decisions of people by name; items without one are left out.

    Raises:
        UserError: the file cannot be read, or a cell is wrong.
    """
    people = Decisions()
    for row in read_sheet(path, (*_KEY, *_ANSWER)):
        met = row.decision("Met")
        if met is not None:
            person = f"person:{row.cells['Person'] or 'unnamed'}"
            people.setdefault(person, {})[_judged(row, known)] = met
    return people


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
    return "\n\n".join(f"{call.tool}\n{call.result}" for call in item.played.calls)
