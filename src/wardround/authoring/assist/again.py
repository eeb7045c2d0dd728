"""Opens a finished suite again, without the sessions that readers found implausible."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from wardround.authoring.assist.candidates.prefilter import Candidate
from wardround.authoring.assist.planning.cells import Cell
from wardround.authoring.assist.planning.form_trades import forms_of
from wardround.authoring.assist.session_lines import Line
from wardround.authoring.assist.suite_files import Entry, SuiteFolder
from wardround.benchmarks.assist.sessions import PREPARE, SCENARIOS
from wardround.benchmarks.kit.sheets import read_sheet
from wardround.core.errors import UserError

# The columns of the annotation sheet that name a session and say whether a turn is plausible.
_SESSION, _PLAUSIBLE = "Entry ID", "plausible"


def flagged_sessions(sheets: Iterable[Path]) -> list[str]:
    """The ids of the sessions of which a reader finds a turn implausible, in order.

    Raises:
        UserError: a sheet cannot be read, or no reader finds any session implausible.
    """
    rows = [row for path in sheets for row in read_sheet(path, (_SESSION, _PLAUSIBLE))]
    flagged = sorted({row.cells[_SESSION] for row in rows if row.decision(_PLAUSIBLE) is False})
    if not flagged:
        raise UserError(
            f"No sheet has a no under {_PLAUSIBLE}, so there is no session to make again."
        )
    return flagged


def reopen(
    folder: SuiteFolder,
    settings: Mapping[str, Any],
    flagged: Sequence[str],
    cells: Sequence[Cell],
    candidates: Sequence[Candidate],
) -> None:
    """Writes the journal of a finished folder, as if its flagged sessions were still missing.

    Their patients have no session of the scenario again.

    Args:
        folder: a finished folder; one with a journal goes on with that.
        settings: the settings of the work, for the journal.
        flagged: the ids of the sessions to make again.
        cells: the cells of the suite.
        candidates: the patients that it was made from.

    Raises:
        UserError: the folder has no such session, or was made with other options.
    """
    if folder.is_open:
        return
    lines = {line["id"]: line for line in _lines(folder)}
    if absent := [id for id in flagged if id not in lines]:
        raise UserError(f"{folder.path} has no session {absent[0]}; name the sheet of its suite.")
    patients = {each.subject_id for each in candidates}
    replaced: dict[str, list[int]] = defaultdict(list)
    entries: list[Entry] = []
    for id, line in lines.items():
        number = _number(line)
        if not _is_of_cell(line, number, cells) or line["subject_id"] not in patients:
            raise UserError(
                f"{folder.path} was made from another database or with other options; name those "
                "that it was made with."
            )
        if id in flagged:
            replaced[line["clinical_scenario"]].append(line["subject_id"])
        else:
            entries.append(_entry(number, line))
    forms = [[_number(line), forms_of(line)] for line in lines.values()]
    first: Entry = {"cell": None, "flagged": replaced, "forms": forms, "gates": folder.gates()}
    folder.open_again(settings, [first, *entries])


def _lines(folder: SuiteFolder) -> Iterator[Line]:
    for scenario in SCENARIOS:
        path = folder.path / f"{scenario}.jsonl"
        if not path.exists():
            raise UserError(f"{folder.path} holds no made suite; name the folder of one.")
        yield from map(json.loads, path.read_text(encoding="utf-8").splitlines())


def _number(line: Line) -> int:
    """The number of the cell that a session is of."""
    return int(line["session_id"].rpartition("_")[2]) - 1


def _is_of_cell(line: Line, number: int, cells: Sequence[Cell]) -> bool:
    """True if a session is of the cell with a number."""
    cell = cells[number] if 0 <= number < len(cells) else None
    described = line["clinical_scenario"], line["difficulty_level"], line["sequence_idx"]
    return cell is not None and described == (cell.scenario, cell.tier, cell.index)


def _entry(number: int, line: Line) -> Entry:
    names = (step["action"]["name"] for turn in line["answer_list"] for step in turn)
    reads = [name.removesuffix(".search").removesuffix(".read") for name in names]
    called = [name for name in reads if name != PREPARE]
    return {
        "cell": number,
        "line": line,
        "called": called,
        "story": "",
        "avoided": [],
        "vain": [],
        "retold": [],
        "gates": [],
        "traded": None,
        "snapshot": None,
    }
