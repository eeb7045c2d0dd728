"""Searches the index of a run, and what it says of the run without reading its files."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wardround.core.record import ByteRange, TrialRecord, record_from_json
from wardround.core.run_document import TRIALS
from wardround.report.trial_index.file import opened_file
from wardround.report.trial_index.growth import grow
from wardround.report.trial_index.words import match
from wardround.scoring.reliability import Tally

# Counts beyond are not exact, so that a page of a large run is quick.
MOST_COUNTED = 10_000
_MOST_VALUES = 40  # of a label that divides trials into groups


@dataclass(frozen=True, slots=True)
class Search:
    """A choice of trials.

    Attributes:
        outcome: only this outcome; "" for all.
        label: only tasks with this label and value, as "name=value"; "" for all.
        words: only trials whose text contains all these words; "" for all.
        task: only the trials of this task; "" for all.
        mark: only trials to which persons gave this label, "*" for any; "" for all.
    """

    outcome: str = ""
    label: str = ""
    words: str = ""
    task: str = ""
    mark: str = ""


@dataclass(frozen=True, slots=True)
class FoundTrials:
    """A page of found trials.

    Attributes:
        records: the trials of the page.
        count: the number of all found trials, at most `MOST_COUNTED` + 1.
    """

    records: Sequence[TrialRecord]
    count: int

    @property
    def counted(self) -> str:
        """The number in words, "10,000+" beyond the most that are counted."""
        if self.count > MOST_COUNTED:
            return f"{MOST_COUNTED:,}+"
        return f"{self.count:,}"


@dataclass(frozen=True, slots=True)
class Progress:
    """The part of a run that is in its index.

    Attributes:
        trials: the number of trials.
        with_words: the number of those whose words can be searched.
        share: the share of the file of trials that was read, from 0 to 1.
    """

    trials: int
    with_words: int
    share: float

    @property
    def is_over(self) -> bool:
        """True if nothing was left to read."""
        return self.share >= 1 and self.with_words >= self.trials


@dataclass(frozen=True, slots=True)
class TrialIndex:
    """The index of a run.

    Attributes:
        folder: the run.
        connection: the SQLite file.
    """

    folder: Path
    connection: sqlite3.Connection

    def __enter__(self) -> "TrialIndex":
        """The index."""
        return self

    def __exit__(self, *error: object) -> None:
        """Closes the file."""
        self.connection.close()

    def grow(self, seconds: float) -> bool:
        """Reads what is new in the run for some time; returns True if nothing is left.

        Raises:
            UserError: a line of the run cannot be read.
        """
        return grow(self.connection, self.folder, seconds)

    def search(self, search: Search, start: int, most: int) -> FoundTrials:
        """A page of the trials that are searched for, in order of writing.

        Args:
            search: the choice.
            start: the number of trials before the page.
            most: the most trials of a page.
        """
        where, values = _conditions(search)  # fixed texts; the searched words are in the values
        count = f"SELECT COUNT(*) FROM (SELECT 1 FROM trials {where} LIMIT ?)"  # noqa: S608
        [(number,)] = self.connection.execute(count, (*values, MOST_COUNTED + 1))
        page = f"SELECT number FROM trials {where} ORDER BY number LIMIT ? OFFSET ?"  # noqa: S608
        rows = self.connection.execute(
            f"SELECT record FROM records WHERE number IN ({page}) ORDER BY number",  # noqa: S608
            (*values, most, start),
        )
        return FoundTrials([record_from_json(text) for (text,) in rows], number)

    def trial(self, task: str, trial: int) -> TrialRecord | None:
        """A trial; None if there is none."""
        query = "SELECT record FROM trials JOIN records USING (number) WHERE task = ? AND trial = ?"
        row = self.connection.execute(query, (task, trial)).fetchone()
        return record_from_json(row[0]) if row else None

    def verdicts(self, record: TrialRecord) -> list[ByteRange]:
        """The places of the verdicts on a trial, in order of writing."""
        query = (
            "SELECT offset, length FROM verdicts WHERE task = ? AND trial = ? AND trajectory = ? "
            "ORDER BY offset"
        )
        rows = self.connection.execute(query, (*record.key, record.trajectory.offset))
        return [ByteRange(*row) for row in rows]

    def outcomes(self) -> dict[str, int]:
        """The number of trials by outcome."""
        query = "SELECT outcome, COUNT(*) FROM trials GROUP BY outcome ORDER BY outcome"
        return dict(self.connection.execute(query).fetchall())

    def tallies(self) -> dict[str, Tally]:
        """The scored and the passed trials of each task."""
        query = (
            "SELECT task, SUM(outcome IN ('passed', 'failed')), SUM(outcome = 'passed') "
            "FROM trials GROUP BY task"
        )
        return {
            task: Tally(scored, passed) for task, scored, passed in self.connection.execute(query)
        }

    def labels(self) -> dict[str, list[str]]:
        """The values of each label that has several, but not so many that they name tasks."""
        query = (
            "SELECT name, value FROM label_values WHERE trials > 0 AND name IN (SELECT name FROM "
            "label_values WHERE trials > 0 GROUP BY name HAVING COUNT(*) BETWEEN 2 AND ?) "
            "ORDER BY name, value"
        )
        values: dict[str, list[str]] = {}
        for name, value in self.connection.execute(query, (_MOST_VALUES,)):
            values.setdefault(name, []).append(value)
        return values

    def progress(self) -> Progress:
        """The part of the run that was read."""
        connection = self.connection
        [(trials,)] = connection.execute("SELECT COUNT(*) FROM trials")
        [(without,)] = connection.execute("SELECT COUNT(*) FROM trials WHERE NOT has_words")
        query = "SELECT offset, is_read FROM files WHERE name = ?"
        offset, is_read = connection.execute(query, (TRIALS,)).fetchone() or (0, False)
        path = self.folder / TRIALS
        size = path.stat().st_size if path.exists() else 0
        share = 1.0 if is_read or not size else min(offset / size, 0.999)
        return Progress(trials, trials - without, share)

    def results(self) -> tuple[int, str, str] | None:
        """The number of trials, the stamp and the content of the results that were kept last."""
        row: tuple[int, str, str] | None = self.connection.execute(
            "SELECT trials, stamp, content FROM results"
        ).fetchone()
        return row

    def keep_results(self, trials: int, stamp: str, content: str) -> None:
        """Keeps the results of the run in place of earlier ones."""
        with self.connection:
            self.connection.execute("BEGIN IMMEDIATE")
            self.connection.execute("DELETE FROM results")
            self.connection.execute(
                "INSERT INTO results VALUES (?, ?, ?)", (trials, stamp, content)
            )

    def stamp(self) -> str:
        """Changes whenever trials were read."""
        rows = self.connection.execute("SELECT stamp FROM files WHERE name = ?", (TRIALS,))
        return " ".join(stamp for (stamp,) in rows)


def opened_index(folder: Path) -> TrialIndex:
    """The index of a run, as far as it has grown.

    Raises:
        UserError: the folder is not a run.
    """
    return TrialIndex(folder, opened_file(folder))


def _conditions(search: Search) -> tuple[str, list[str]]:
    """The WHERE of a search, and its values."""
    conditions, values = list[str](), list[str]()
    for column, value in (("outcome", search.outcome), ("task", search.task)):
        if value:
            conditions.append(f"{column} = ?")
            values.append(value)
    if search.label:
        name, _, value = search.label.partition("=")
        # A label divides the trials, so that many have it: the first of them are soon found.
        conditions.append(
            "EXISTS (SELECT 1 FROM labels WHERE name = ? AND value = ? "
            "AND labels.number = trials.number)"
        )
        values += [name, value]
    if words := match(search.words):
        conditions.append("number IN (SELECT rowid FROM words WHERE words MATCH ?)")
        values.append(words)
    elif search.words.strip():
        conditions.append("FALSE")  # signs alone are not words
    if search.mark:
        marked = "SELECT 1 FROM marks WHERE marks.task = trials.task AND marks.trial = trials.trial"
        chosen = "" if search.mark == "*" else " AND label = ?"
        conditions.append(f"EXISTS ({marked}{chosen})")
        values += [] if search.mark == "*" else [search.mark]
    return f"WHERE {' AND '.join(conditions)}" if conditions else "", values
