"""Answers kept on disk by request, so that the same request is paid for once."""

import sqlite3
from dataclasses import replace
from pathlib import Path

from wardround.core.errors import UserError
from wardround.models.exchange import Answer, Request, Source, answer_from_json, answer_to_json


class ResponseCache:
    """One SQLite file, which several processes may use at once.

    It holds whatever the models said, patient data included, for as long as the file is kept.
    """

    def __init__(self, path: Path) -> None:
        """Opens the file, or makes it.

        Raises:
            UserError: there is no such folder, or the file is something else.
        """
        try:
            path.touch(mode=0o600)  # it holds patients' values
            self._database = sqlite3.connect(path, timeout=30.0, isolation_level=None)
        except (sqlite3.Error, OSError) as error:
            raise _unusable(path, error) from error
        try:
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute("PRAGMA synchronous = NORMAL")
            self._database.execute(
                "CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, answer BLOB NOT NULL)"
            )
        except sqlite3.Error as error:
            self._database.close()
            raise _unusable(path, error) from error

    def get(self, key: str) -> Answer | None:
        """The answer kept for a request's key; it costs nothing any more."""
        row = self._database.execute("SELECT answer FROM answers WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        return replace(answer_from_json(row[0]), cost=0.0, retries=0, cached=True)

    def put(self, key: str, answer: Answer) -> None:
        """Keeps an answer; of two for the same key the first stays."""
        self._database.execute(
            "INSERT OR IGNORE INTO answers VALUES (?, ?)", (key, answer_to_json(answer))
        )

    def before(self, source: Source) -> Source:
        """A source that asks the other one only for what is not kept yet."""

        async def answer(request: Request) -> Answer:
            key = request.key
            kept = self.get(key)
            if kept is not None:
                return kept
            fresh = await source(request)
            self.put(key, fresh)
            return fresh

        return answer

    def close(self) -> None:
        """Closes the file."""
        self._database.close()


def _unusable(path: Path, error: Exception) -> UserError:
    return UserError(
        f"The response cache {path} cannot be opened ({error}): "
        "name a file in an existing folder that is a cache or does not exist yet."
    )
