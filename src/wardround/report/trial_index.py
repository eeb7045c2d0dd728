"""A search index of a run's trials: SQLite with FTS5, beside the run and outside of its chain."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from wardround.core.errors import UserError
from wardround.core.folders import cache_folder
from wardround.core.private_files import create_file, make_folder
from wardround.core.record import TrialRecord, record_from_json, record_to_json
from wardround.core.run_document import INDEX, TRIALS
from wardround.core.run_reader import read_settings, read_trajectory, read_trials
from wardround.report.trace import turns

# Counts beyond are not exact, so that a page of a large run is quick.
MOST_COUNTED = 10_000
_VERSION = 1
_MOST_VALUES = 40  # of a label that divides trials into groups
_TABLES = """
CREATE TABLE state (run TEXT, stamp TEXT, version INTEGER);
CREATE TABLE trials (
    number INTEGER PRIMARY KEY AUTOINCREMENT, task TEXT, trial INTEGER, outcome TEXT, record TEXT,
    UNIQUE (task, trial));
CREATE INDEX by_outcome ON trials (outcome, number);
CREATE TABLE labels (name TEXT, value TEXT, number INTEGER);
CREATE INDEX by_label ON labels (name, value, number);
CREATE VIRTUAL TABLE words USING fts5 (text, content='');
"""


@dataclass(frozen=True, slots=True)
class Search:
    """A choice of trials.

    Attributes:
        outcome: only this outcome; "" for all.
        label: only tasks with this label and value, as "name=value"; "" for all.
        words: only trials in whose text all these words stand; "" for all.
        task: only the trials of this task; "" for all.
    """

    outcome: str = ""
    label: str = ""
    words: str = ""
    task: str = ""


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
class TrialIndex:
    """The index of a run; `opened_index` opens one and brings it up to date.

    Attributes:
        connection: the SQLite file.
        labels: the values of each label that divides the trials into groups.
        stamp: changes with the run's trials.
    """

    connection: sqlite3.Connection
    labels: Mapping[str, Sequence[str]] = field(default_factory=dict)
    stamp: str = ""

    def search(self, search: Search, start: int, most: int) -> FoundTrials:
        """A page of the trials that are searched for, in order of writing.

        Args:
            search: the choice.
            start: the number of trials before the page.
            most: the most trials of a page.
        """
        where, values = _conditions(search)  # fixed texts; what is searched for is in the values
        count = f"SELECT COUNT(*) FROM (SELECT 1 FROM trials {where} LIMIT ?)"  # noqa: S608
        [(number,)] = self.connection.execute(count, (*values, MOST_COUNTED + 1))
        page = f"SELECT record FROM trials {where} ORDER BY number LIMIT ? OFFSET ?"  # noqa: S608
        rows = self.connection.execute(page, (*values, most, start))
        return FoundTrials([record_from_json(text) for (text,) in rows], number)

    def trial(self, task: str, trial: int) -> TrialRecord | None:
        """A trial; None if there is none."""
        query = "SELECT record FROM trials WHERE task = ? AND trial = ?"
        row = self.connection.execute(query, (task, trial)).fetchone()
        return record_from_json(row[0]) if row else None

    def outcomes(self) -> dict[str, int]:
        """The number of trials by outcome."""
        query = "SELECT outcome, COUNT(*) FROM trials GROUP BY outcome ORDER BY outcome"
        return dict(self.connection.execute(query).fetchall())

    def close(self) -> None:
        """Closes the file."""
        self.connection.close()


def opened_index(folder: Path) -> TrialIndex:
    """The index of a run, with all its finished trials; made again if it is stale or damaged.

    It lies beside the run, or in the cache if that folder is read-only.

    Raises:
        UserError: the folder is not a run, or a trajectory is missing.
    """
    run = str(read_settings(folder).get("id", "")) or str(folder.resolve())
    path = _place(folder)
    with suppress(sqlite3.DatabaseError):
        return _updated(folder, path, run)
    path.unlink(missing_ok=True)
    return _updated(folder, _place(folder), run)


def _place(folder: Path) -> Path:
    beside = folder / INDEX
    with suppress(OSError):
        create_file(beside)
        return beside
    cached = cache_folder() / "indexes"
    make_folder(cached)
    path = cached / f"{sha256(bytes(folder.resolve())).hexdigest()[:32]}.sqlite"
    create_file(path)
    return path


def _updated(folder: Path, path: Path, run: str) -> TrialIndex:
    connection = sqlite3.connect(path, check_same_thread=False)
    try:
        stamp = _stamp(folder / TRIALS)
        known = _state(connection)
        if known is None or (known[0], known[2]) != (run, _VERSION):
            _emptied(connection, run)
            known = (run, "", _VERSION)
        if known[1] != stamp:
            _bring_up_to_date(connection, folder, stamp)
        return TrialIndex(connection, _labels(connection), f"{run} {stamp}")
    except BaseException:
        connection.close()
        raise


def _stamp(path: Path) -> str:
    """The size and time of a file, which tell if it has changed."""
    if not path.exists():
        return "none"
    known = path.stat()
    return f"{known.st_size} {known.st_mtime_ns}"


def _state(connection: sqlite3.Connection) -> tuple[str, str, int] | None:
    with suppress(sqlite3.OperationalError):
        row: tuple[str, str, int] | None = connection.execute("SELECT * FROM state").fetchone()
        return row
    return None


def _emptied(connection: sqlite3.Connection, run: str) -> None:
    """Begin again with empty tables."""
    with connection:
        for table in ("state", "trials", "labels", "words"):
            connection.execute(f"DROP TABLE IF EXISTS {table}")
        for statement in _TABLES.split(";"):
            connection.execute(statement)
        connection.execute("INSERT INTO state VALUES (?, ?, ?)", (run, "", _VERSION))


def _bring_up_to_date(connection: sqlite3.Connection, folder: Path, stamp: str) -> None:
    """Add the trials that are not in the index, and remove those that are other than they were."""
    query = "SELECT task, trial, record FROM trials"
    known = {(task, trial): record for task, trial, record in connection.execute(query)}
    records = {record.key: record for record in read_trials(folder)}
    texts = {key: record_to_json(record).decode() for key, record in records.items()}
    with connection:
        for key in known.keys() - records.keys():
            _remove(connection, key)
        for key, record in records.items():
            if known.get(key) != texts[key]:
                _remove(connection, key)
                _add(connection, folder, record, texts[key])
        connection.execute("UPDATE state SET stamp = ?", (stamp,))


def _remove(connection: sqlite3.Connection, key: tuple[str, int]) -> None:
    """Remove a trial; its words stay, under a number that no trial has any more."""
    old = "SELECT number FROM trials WHERE task = ? AND trial = ?"
    connection.execute(f"DELETE FROM labels WHERE number IN ({old})", key)  # noqa: S608
    connection.execute("DELETE FROM trials WHERE task = ? AND trial = ?", key)


def _add(connection: sqlite3.Connection, folder: Path, record: TrialRecord, text: str) -> None:
    added = connection.execute(
        "INSERT INTO trials (task, trial, outcome, record) VALUES (?, ?, ?, ?)",
        (record.task, record.trial, record.outcome.value, text),
    )
    number = added.lastrowid
    connection.executemany(
        "INSERT INTO labels VALUES (?, ?, ?)",
        [(name, value, number) for name, value in record.labels.items()],
    )
    words = "\n".join([record.task, record.reason, *_texts(folder, record)])
    connection.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (number, words))


def _texts(folder: Path, record: TrialRecord) -> Iterator[str]:
    """The text of a trial; nothing if its trajectory cannot be read."""
    with suppress(UserError):
        yield from (turn.text for turn in turns(read_trajectory(folder, record.trajectory)))


def _conditions(search: Search) -> tuple[str, list[str]]:
    """The WHERE of a search, and its values."""
    conditions, values = list[str](), list[str]()
    for column, value in (("outcome", search.outcome), ("task", search.task)):
        if value:
            conditions.append(f"{column} = ?")
            values.append(value)
    if search.label:
        name, _, value = search.label.partition("=")
        conditions.append("number IN (SELECT number FROM labels WHERE name = ? AND value = ?)")
        values += [name, value]
    if search.words.strip():
        conditions.append("number IN (SELECT rowid FROM words WHERE words MATCH ?)")
        values.append(_match(search.words))
    return f"WHERE {' AND '.join(conditions)}" if conditions else "", values


def _match(words: str) -> str:
    """All words in quotes, so that none is read as an operator.

    >>> _match('heparin "5 mg" OR')
    '"heparin" "5" "mg" "OR"'
    """
    return " ".join(f'"{word}"' for word in words.replace('"', " ").split())


def _labels(connection: sqlite3.Connection) -> dict[str, list[str]]:
    """The values of each label that has several, but not so many that they name tasks."""
    query = "SELECT DISTINCT name, value FROM labels ORDER BY name, value"
    values: dict[str, list[str]] = {}
    for name, value in connection.execute(query):
        values.setdefault(name, []).append(value)
    return {name: each for name, each in values.items() if 1 < len(each) <= _MOST_VALUES}
