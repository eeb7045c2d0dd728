"""The page of a trial: what was said and done, and beside it limits, verdicts and notes."""

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi.responses import HTMLResponse

from wardround.apps.web.viewer.pages import page, trial_address
from wardround.apps.web.viewer.runs import Golds, ViewedRun, golds, own_verdicts
from wardround.core.errors import UserError
from wardround.core.record import TrialRecord
from wardround.core.run_reader import read_trajectory
from wardround.core.verdict import Verdict
from wardround.report.shown_events import ShownEvent, cut, shown_event
from wardround.report.trace import turns
from wardround.report.trial_index.search import Search
from wardround.report.trial_notes import read_notes

MOST_EVENTS = 200
MOST_CHARACTERS = 20_000
MOST_ON_A_PAGE = 1_000_000  # characters of events
_MOST_TRIALS = 50  # of the task


def trial_page(
    run: ViewedRun, record: TrialRecord, start: int, by: str, *, is_gold_shown: bool
) -> HTMLResponse:
    """A trial from an event on; with its gold only if it is asked for."""
    events, total, damage = _events(run, record, start)
    verdicts, verdict_problem = _verdicts(run, record)
    notes = read_notes(run.folder)
    return page(
        "view_trial.html.j2",
        title=run.name_of(record) if run.is_of_people else f"{record.task}, trial {record.trial}",
        run=run,
        record=record,
        others=run.index.search(Search(task=record.task), 0, _MOST_TRIALS).records,
        limits=_limits(run.settings["settings"], record),
        verdicts=verdicts,
        verdict_problem=verdict_problem,
        events_shown=events,
        damage=damage,
        total=total,
        start=start,
        earlier=trial_address(run.name, record, start=max(0, start - MOST_EVENTS))
        if start
        else None,
        later=trial_address(run.name, record, start=start + len(events))
        if start + len(events) < total
        else None,
        notes=notes.on(record),
        known_labels=notes.labels(),
        by=by,
        is_gold_shown=is_gold_shown,
        cut=lambda text: cut(text, MOST_CHARACTERS),
        refresh=None,
        **(_gold(golds(run), record, verdicts) if is_gold_shown else {}),
    )


def _events(
    run: ViewedRun, record: TrialRecord, start: int
) -> tuple[Sequence[ShownEvent], int, str]:
    """The events from a number on that fit on a page, the number of all, and what is damaged."""
    try:
        all_turns = list(turns(read_trajectory(run.folder, record.trajectory)))
    except UserError as error:
        return [], 0, str(error)
    events, size = list[ShownEvent](), 0
    for turn in all_turns[start : start + MOST_EVENTS]:
        events.append(shown_event(turn, MOST_CHARACTERS))
        size += min(len(turn.text), MOST_CHARACTERS)
        if size > MOST_ON_A_PAGE:
            break
    return events, len(all_turns), ""


def _verdicts(run: ViewedRun, record: TrialRecord) -> tuple[list[Verdict], str]:
    try:
        return own_verdicts(run.index, record), ""
    except UserError as error:
        return [], str(error)


def _limits(settings: Mapping[str, Any], record: TrialRecord) -> dict[str, str]:
    """The limits of a trial, and the part of each that it used."""
    used = {
        "actions": record.counts.get("actions", 0),
        "attempts": record.counts.get("attempts", 1),
        "seconds": round(record.seconds, 1),
    }
    return {
        name: f"{value:g} of {settings[name]:g}"
        if isinstance(settings.get(name), int | float)
        else f"{value:g}"
        for name, value in used.items()
    }


def _gold(golds: Golds, record: TrialRecord, verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """The gold of a trial, its rubrics and its conversation, and why there are none."""
    reader = golds.reader
    by_item: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        by_item.setdefault(verdict.item, []).append(verdict)
    return {
        "why": reader.gold(record),
        "conversation": reader.conversation(record),
        "rubrics": reader.rubrics(record),
        "verdicts_by_item": by_item,
        "gold_problem": " ".join(golds.problems),
    }
