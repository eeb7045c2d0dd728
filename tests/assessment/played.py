"""Suites of trials written as letters: p passed, f failed, u unscored, a digit for harm."""

from collections.abc import Mapping

from tests.records import trial_record
from wardround.assessment.evidence import PlayedSuite
from wardround.core.harms import Harm
from wardround.core.record import Outcome, TrialRecord

_OUTCOMES = {"p": Outcome.PASSED, "f": Outcome.FAILED, "u": Outcome.UNSCORED}


def suite(
    *tasks: str, benchmark: str = "triage", harms: Mapping[str, Mapping[Harm, bool]] | None = None
) -> PlayedSuite:
    """A suite with a task for each text and a trial for each letter of it.

    Args:
        tasks: the outcomes of the trials of each task.
        benchmark: the benchmark.
        harms: the harms of all scored trials with a letter, by letter.
    """
    records = [
        _record(f"task-{number}", trial, letter)
        for number, letters in enumerate(tasks)
        for trial, letter in enumerate(letters)
    ]
    letters_of = {
        (f"task-{number}", trial): letter
        for number, letters in enumerate(tasks)
        for trial, letter in enumerate(letters)
    }
    shown = {
        record.key: (harms or {}).get(letters_of[record.key], {})
        for record in records
        if record.outcome.scored
    }
    return PlayedSuite(benchmark, records, shown)


def _record(task: str, trial: int, letter: str) -> TrialRecord:
    return trial_record(
        task,
        trial,
        _OUTCOMES[letter],
        labels={"ward": "east" if int(task.removeprefix("task-")) % 2 else "west"},
    )
