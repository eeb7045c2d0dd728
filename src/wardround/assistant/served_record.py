"""The record of questions and answers: a run whose trials are questions.

It has the form of a run, so that it is append-only, authenticated and searched like one. A task is
a conversation, and its trials are the questions in it, in order. An answer is on disk before its
person sees it.
"""

import logging
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from wardround.assistant.users import UnavailableError, cost_of, today
from wardround.core.record import Outcome, TrialRecord, VerdictRecord, use_by_role
from wardround.core.run_document import SETTINGS
from wardround.core.run_reader import STARTED, read_settings, read_trajectory, read_trials
from wardround.core.run_writer import RunWriter, new_run
from wardround.core.trajectory import (
    WITHHELD,
    Called,
    Event,
    Noted,
    Requested,
    Returned,
    Said,
    Trajectory,
)
from wardround.core.trial import count_turns
from wardround.core.verdict import Verdict, state_of

log = logging.getLogger(__name__)

FOLDER = "served"
_NOT_RECORDED = "The answer cannot be recorded, so it is not shown; tell who runs the assistant."
_NOT_GRADED = "not graded"


class ServedRecord:
    """Writes questions with their answers, and what people say of them.

    Args:
        writer: the open run.
        has_values: True to record the texts; otherwise only who asked, when, and what was called.
    """

    def __init__(self, writer: RunWriter, *, has_values: bool) -> None:
        self._writer = writer
        self._has_values = has_values
        self._is_broken = False

    def add(
        self,
        conversation: str,
        number: int,
        person: str,
        events: list[Event],
        seconds: float,
        problem: str = "",
    ) -> TrialRecord:
        """Writes a question with its answer; returns its record.

        Args:
            conversation: the conversation's id.
            number: the question's number in it, from 0.
            person: who asked.
            events: what happened from the question to the answer.
            seconds: the time to the answer.
            problem: the reason for a missing answer; "" if there is one.
        """
        recorded = events if self._has_values else [_without_values(event) for event in events]
        trajectory = Trajectory(list(recorded))
        requests = [event for event in events if isinstance(event, Requested)]
        with self._written():
            where = self._writer.add_trajectory(trajectory)
        record = TrialRecord(
            task=conversation,
            trial=number,
            seed=0,
            outcome=Outcome.INFRA_ERROR if problem else Outcome.UNSCORED,
            reason=problem or _NOT_GRADED,
            ending="",
            scores={},
            labels={"person": person, "day": today().isoformat()},
            counts=count_turns(trajectory),
            use=use_by_role(requests),
            seconds=seconds,
            trajectory=where,
        )
        with self._written():
            self._writer.add_trial(record)
        return record

    def judge(self, record: TrialRecord, person: str, comment: str, *, right: bool) -> TrialRecord:
        """Writes what a person says of an answer, and returns its new record; the latest counts."""
        reason = comment if self._has_values else ""
        verdict = Verdict("answer", f"person:{person}", state_of(right), reason=reason)
        with self._written():
            self._writer.add_verdicts(
                [VerdictRecord(record.task, record.trial, record.trajectory, verdict)]
            )
        outcome = Outcome.PASSED if right else Outcome.FAILED
        judged = replace(record, outcome=outcome, reason=reason, scores={"person": float(right)})
        with self._written():
            self._writer.add_trial(judged)
        return judged

    def correct(self, record: TrialRecord, person: str, sql: str) -> TrialRecord:
        """Writes a person's own query in place of the agent's, which then was wrong."""
        evidence = sql if self._has_values else ""
        verdict = Verdict("correction", f"person:{person}", "passed", evidence=evidence)
        with self._written():
            self._writer.add_verdicts(
                [VerdictRecord(record.task, record.trial, record.trajectory, verdict)]
            )
        return self.judge(record, person, "corrected", right=False)

    @contextmanager
    def _written(self) -> Iterator[None]:
        """Refuses to show what is not on record; after one failed write nothing is written."""
        if self._is_broken:
            raise UnavailableError(_NOT_RECORDED)
        try:
            yield
        except OSError as error:
            self._is_broken = True
            log.error("the record cannot be written: %s", error.strerror)
            raise UnavailableError(_NOT_RECORDED) from None


@contextmanager
def opened_record(
    folder: Path, settings: Mapping[str, Any], *, has_values: bool
) -> Iterator[ServedRecord]:
    """Opens the record in a folder to append to it; another assessment gets a record of its own.

    Args:
        folder: holds the records, each in its own folder.
        settings: the content of the served agent's `run.json`.
        has_values: True to record the texts of questions and answers.

    Raises:
        UserError: another server writes to it, or it is not as it was written.
    """
    number = 1
    while (record := folder / f"{number:03d}").exists():
        if (record / SETTINGS).exists() and _is_of(read_settings(record), settings):
            with RunWriter(record) as writer:
                writer.complete()
                yield ServedRecord(writer, has_values=has_values)
            return
        number += 1
    described = {**settings, STARTED: f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"}
    with new_run(record, described) as writer:
        yield ServedRecord(writer, has_values=has_values)


def spent_on(folder: Path, day: date) -> dict[str, float]:
    """The cost of models on a day, in dollars by person, over all records of a folder.

    Raises:
        UserError: a record is not as it was written.
    """
    spent: dict[str, float] = defaultdict(float)
    for record in sorted(path.parent for path in folder.glob(f"*/{SETTINGS}")):
        for trial in read_trials(record):
            if trial.use and trial.labels.get("day") == day.isoformat():
                requests = read_trajectory(record, trial.trajectory).requests()
                spent[trial.labels["person"]] += cost_of(each.cost for each in requests)
    return dict(spent)


def _is_of(stored: Mapping[str, Any], settings: Mapping[str, Any]) -> bool:
    """True if a record is that of an agent with these settings."""
    return all(stored.get(name) == value for name, value in settings.items() if name != STARTED)


def _without_values(event: Event) -> Event:
    match event:
        case Said() | Returned():
            return replace(event, text=WITHHELD)
        case Called(arguments=arguments):
            return replace(event, arguments=dict.fromkeys(arguments, WITHHELD))
        case Noted(data=data):  # such as what an agent's error says
            withheld = {
                name: each if isinstance(each, bool) else WITHHELD for name, each in data.items()
            }
            return replace(event, data=withheld)
    return event
