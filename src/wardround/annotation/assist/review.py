"""The readers' decisions on a sheet: whether sessions are plausible, and turns have sound gold.

A clinician reads a quarter of the sessions for plausibility, and two readers the type, rubric and
gold calls of turns (PhysAssistBench, C).
"""

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeAlias

from wardround.annotation.assist.declaration import ReviewOptions
from wardround.benchmarks.kit.raters import Raters, agreement_rows, raters_table
from wardround.benchmarks.kit.sheets import SheetRow, read_sheet
from wardround.core.benchmark import Summary, Table
from wardround.core.errors import UserError
from wardround.core.work import WorkContext, WorkResult

PLAUSIBLE = "plausible"
QUESTIONS = (PLAUSIBLE, "type_ok", "rubric_ok", "calls_ok")
COLUMNS = (*QUESTIONS, "comment")
_TURN = ("Entry ID", "Turn")


class Judged(NamedTuple):
    """A question about a turn of a session."""

    session: str
    turn: str
    question: str


Decisions: TypeAlias = Raters[Judged]


def check(options: ReviewOptions, context: WorkContext[object]) -> WorkResult:
    """Shows what readers decided about sessions, and compares each two of them.

    Raises:
        UserError: a sheet cannot be read, or nobody decided anything.
    """
    decisions = read_decisions(options.sheets)
    if not decisions:
        raise UserError(f"No sheet has a decision; write yes or no under {', '.join(QUESTIONS)}.")
    flagged = implausible(decisions)
    note = f"{len(flagged)} sessions are implausible{': ' * bool(flagged)}{', '.join(flagged)}."
    status = 1 if flagged else 0
    return WorkResult(Summary(review_tables(decisions)), (note,), status=status)


def read_decisions(sheets: Iterable[Path]) -> Decisions:
    """The decisions of each sheet's reader, by the name of the file; empty cells are left out.

    Raises:
        UserError: a sheet cannot be read, or a cell is neither yes nor no.
    """
    by_reader = Decisions()
    for path in sheets:
        rows = read_sheet(path, (*_TURN, *COLUMNS))
        by_reader[path.stem] = {
            judged: decision
            for row in rows
            for judged in _judged(row)
            if (decision := row.decision(judged.question)) is not None
        }
    return {reader: decisions for reader, decisions in by_reader.items() if decisions}


def implausible(decisions: Decisions) -> list[str]:
    """The sessions of which a reader finds a turn implausible."""
    flagged = (
        judged.session
        for given in decisions.values()
        for judged, decision in given.items()
        if judged.question == PLAUSIBLE and not decision
    )
    return list(dict.fromkeys(flagged))


def review_tables(decisions: Decisions) -> dict[str, Table]:
    """The shares of turns that each reader accepts, and the agreement of each two readers."""
    tables = {"readers": raters_table(decisions, "Decisions", "Yes")}
    if len(decisions) > 1:
        tables["agreement"] = _agreement(decisions)
    return tables


def _agreement(decisions: Decisions) -> Table:
    groups = {question: partial(_is_about, question) for question in (*QUESTIONS, "all")}
    columns = ("Reader", "Reader 2", "Question", "Turns", "Agreement", "Kappa")
    return Table("Agreement of readers", columns, agreement_rows(decisions, groups))


def _is_about(question: str, judged: Judged) -> bool:
    return question in ("all", judged.question)


def _judged(row: SheetRow) -> Iterable[Judged]:
    session, turn = (row.cells[name] for name in _TURN)
    return (Judged(session, turn, question) for question in QUESTIONS)
