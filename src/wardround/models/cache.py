"""A cache of model answers on disk, so that the same request is paid for once."""

import sqlite3
from dataclasses import replace
from pathlib import Path
from time import sleep

from wardround.core.errors import UserError
from wardround.core.private_files import create_file
from wardround.models.exchange import Answer, Request, Source, answer_from_json, answer_to_json

# Tries to switch to write-ahead logging, and the seconds between them.
_TRIES, _PAUSE = 200, 0.05


class ResponseCache:
    """A SQLite file of answers by request; several processes may share it.

    It contains the models' answers, including patient data, until the file is deleted.
    """

    def __init__(self, path: Path) -> None:
        """Opens the file, or creates it.

        Raises:
            UserError: the folder does not exist, or the file is not a cache.
        """
        try:
            create_file(path)
            self._database = sqlite3.connect(path, timeout=30.0, isolation_level=None)
        except (sqlite3.Error, OSError) as error:
            raise _unusable(path, error) from error
        try:
            _write_ahead(self._database)
            self._database.execute("PRAGMA synchronous = NORMAL")
            self._database.execute(
                "CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, answer BLOB NOT NULL)"
            )
        except sqlite3.Error as error:
            self._database.close()
            raise _unusable(path, error) from error

    def get(self, key: str) -> Answer | None:
        """The cached answer by the request's key, with zero cost; None if there is none."""
        row = self._database.execute("SELECT answer FROM answers WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        return replace(answer_from_json(row[0]), cost=0.0, retries=0, cached=True)

    def put(self, key: str, answer: Answer) -> None:
        """Stores an answer unless the key already has one."""
        self._database.execute(
            "INSERT OR IGNORE INTO answers VALUES (?, ?)", (key, answer_to_json(answer))
        )

    def before(self, source: Source) -> Source:
        """Wraps a source so that it is asked only for answers missing from the cache."""

        async def answer(request: Request) -> Answer:
            key = request.key
            cached = self.get(key)
            if cached is not None:
                return cached
            fresh = await source(request)
            self.put(key, fresh)
            return fresh

        return answer

    def close(self) -> None:
        """Closes the file."""
        self._database.close()


def _write_ahead(database: sqlite3.Connection) -> None:
    """Switches to write-ahead logging; SQLite does not wait for others who do so at this moment."""
    for remaining in range(_TRIES, 0, -1):
        try:
            database.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            if remaining == 1:
                raise
            sleep(_PAUSE)
        else:
            return


def _unusable(path: Path, error: Exception) -> UserError:
    return UserError(
        f"The response cache {path} cannot be opened ({error}): "
        "name a file in an existing folder that is a cache or does not exist yet."
    )
