"""The annotation sheet on which people review sessions, as published: written and applied.

A row is a turn of a session; turns count from 0. People say whether its Chinese questions need a
change and write the changed ones. The paper has a physician read a quarter of the sessions
(PhysAssistBench, C).
"""

from collections.abc import Iterable, Iterator, Mapping
from math import ceil
from random import Random
from typing import Any

import orjson

from wardround.annotation.assist import review
from wardround.annotation.assist.declaration import RevisionOptions, SheetOptions
from wardround.benchmarks.assist.sessions import TASK_TYPES, TURNS, Session
from wardround.benchmarks.assist.tasks import (
    load_tasks,
    session_lines,
    shipped_tasks,
)
from wardround.benchmarks.kit.groups import grouped_by, in_turns
from wardround.benchmarks.kit.sheets import SheetRow, read_sheet, write_sheet
from wardround.core.errors import UserError
from wardround.core.private_files import write_whole
from wardround.core.work import WorkContext, WorkResult

COLUMNS = (
    "Entry ID", "Scenario", "Difficulty", "Turn", "Task Type", "Explicit EN", "Implicit EN",
    "Rubric EN", "Rubric ZH", "Subtype", "Explicit ZH", "Implicit ZH", "Answer", "need_modify",
    "mod_explicit_zh", "mod_implicit_zh",
)  # fmt: skip
_GOLD_CALLS = "Gold calls"
_WRITTEN = (*COLUMNS, _GOLD_CALLS, *review.COLUMNS)
# The published field that each column of the sheet changes.
_CHANGES = {"mod_implicit_zh": "tasks_zh", "mod_explicit_zh": "tasks_zh_explicit"}


def write(options: SheetOptions, context: WorkContext[object]) -> WorkResult:
    """Writes the sheet of a sample of sessions.

    Raises:
        UserError: the sessions cannot be read, or the sheet exists.
    """
    suite = load_tasks(options.tasks) if options.tasks else shipped_tasks()
    chosen = sample(suite.tasks, options.share, options.seed)
    write_sheet(options.sheet, _WRITTEN, (row for task in chosen for row in _rows(task)))
    note = f"{options.sheet} holds {len(chosen)} of {len(suite.tasks)} sessions, a turn a row."
    return WorkResult(notes=(note,), values={"sessions": len(chosen)})


def revise(options: RevisionOptions, context: WorkContext[object]) -> WorkResult:
    """Writes sessions with the modified questions of a sheet; all else stays as it is.

    Raises:
        UserError: the sheet or the sessions cannot be read, a cell is wrong, or the new file
            exists.
    """
    if options.to.exists():
        raise UserError(f"{options.to} exists already; name a new file with --to.")
    sessions = {str(line["id"]): line for line in session_lines(options.tasks or "suite")}
    changes = _changes(read_sheet(options.sheet, COLUMNS))
    changed = sum(_apply(row, sessions) for row in changes)
    lines = (orjson.dumps(session) + b"\n" for session in sessions.values())
    write_whole(options.to, b"".join(lines))
    note = f"{options.to} holds {len(sessions)} sessions; {changed} questions were changed."
    return WorkResult(notes=(note,), values={"sessions": len(sessions), "changed": changed})


def sample(tasks: Iterable[Session], share: float, seed: int) -> list[Session]:
    """A share of the sessions, spread evenly over scenarios, and in them over tiers; in order."""
    random, tasks = Random(seed), list(tasks)
    scenarios = sorted(grouped_by(tasks, lambda task: task.labels["scenario"]).items())
    first = random.getrandbits(16)
    # Each scenario begins with another tier, so that small samples have all tiers.
    drawn = in_turns(
        _tiers_in_turns(group, first + index, random) for index, (_, group) in enumerate(scenarios)
    )
    chosen = {task.id for task in drawn[: ceil(share * len(tasks))]}
    return [task for task in tasks if task.id in chosen]


def _tiers_in_turns(tasks: Iterable[Session], first: int, random: Random) -> list[Session]:
    tiers = sorted(grouped_by(tasks, lambda task: task.labels["tier"]).items())
    shuffled = [random.sample(group, len(group)) for _, group in tiers]
    start = first % len(shuffled)
    return in_turns(shuffled[start:] + shuffled[:start])


def _rows(task: Session) -> Iterator[tuple[object, ...]]:
    public = task.public
    for number, turn in enumerate(task.hidden.turns):
        explicit, implicit = (
            {language: _at(texts[language], number) for language in ("en", "zh")}
            for texts in (public.explicit, public.questions)
        )
        rubric = {language: "\n".join(items) for language, items in turn.rubric.items()}
        yield (
            task.id,
            task.labels["scenario"],
            task.labels["tier"],
            number,
            TASK_TYPES[turn.type],
            explicit["en"],
            implicit["en"],
            rubric["en"],
            rubric["zh"],
            turn.subtype or "",
            explicit["zh"],
            implicit["zh"],
            turn.answers["en"],
            "",
            "",
            "",
            "\n".join(
                f"{call.tool} {orjson.dumps(call.arguments).decode()}" for call in turn.calls
            ),
            *("" for _ in review.COLUMNS),
        )


def _at(texts: tuple[str, ...], number: int) -> str:
    return texts[number] if number < len(texts) else ""


def _changes(rows: Iterable[SheetRow]) -> Iterator[SheetRow]:
    """The rows that change a turn.

    Raises:
        UserError: it is unclear whether a row or which of two rows changes a turn.
    """
    changed: set[tuple[str, str]] = set()
    for row in rows:
        wanted = row.decision("need_modify")
        if wanted is None and any(row.cells[column] for column in _CHANGES):
            raise row.fault("need_modify", "a question is changed; write yes or no.")
        if wanted:
            turn = row.cells["Entry ID"], row.cells["Turn"]
            if turn in changed:
                raise row.fault("need_modify", "an earlier row changes this turn; leave one.")
            changed.add(turn)
            yield row


def _apply(row: SheetRow, sessions: Mapping[str, dict[str, Any]]) -> int:
    """Changes the questions of a row's turn, and returns how many."""
    session = sessions.get(row.cells["Entry ID"])
    if session is None:
        raise row.fault("Entry ID", f"{row.cells['Entry ID']!r} is not a session; name --tasks.")
    turn = row.cells["Turn"]
    if turn not in map(str, range(TURNS)):
        raise row.fault("Turn", f"{turn!r} is not a turn; turns are 0 to {TURNS - 1}.")
    texts = {column: row.cells[column] for column in _CHANGES if row.cells[column]}
    if not texts:
        raise row.fault("need_modify", f"a change is wanted; write it in {' or '.join(_CHANGES)}.")
    for column, text in texts.items():
        field = _CHANGES[column]
        if len(session.get(field) or ()) != TURNS:
            raise row.fault(column, f"the session has no {field} to change.")
        old, session[field][int(turn)] = session[field][int(turn)], text
        _change_message(session, int(turn), old, text)
    return len(texts)


def _change_message(session: Mapping[str, Any], turn: int, old: str, text: str) -> None:
    """Changes the question also where the published messages repeat it."""
    messages = [each for each in session.get("messages_zh") or () if isinstance(each, dict)]
    asked = [message for message in messages if message.get("role") == "user"]
    if len(asked) == TURNS and str(asked[turn].get("content")).endswith(old):
        asked[turn]["content"] = asked[turn]["content"].removesuffix(old) + text
