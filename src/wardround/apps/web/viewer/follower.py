"""Reads runs into their indexes and makes their results, beside the pages."""

import logging
import time
from pathlib import Path
from threading import Lock, Thread

from wardround.apps.web.viewer.results import kept_results, make_results
from wardround.core.errors import WardroundError
from wardround.report.trial_index.search import TrialIndex, opened_index

log = logging.getLogger(__name__)

_SLICE = 0.5  # seconds of reading, after which pages have their turn
_PAUSE = 0.005
_SHARE = 5  # results of a run that goes on are made again after this many times their own time


class Follower:
    """Follows runs on one thread, each until it is read; a run is read once at a time."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._waiting: dict[Path, None] = {}
        self._thread: Thread | None = None
        self._problems: dict[Path, str] = {}
        self._again: dict[Path, float] = {}

    def follow(self, folder: Path) -> None:
        """Reads what is new in a run, soon."""
        with self._lock:
            self._waiting.setdefault(folder)
            if self._thread is None:
                self._thread = Thread(target=self._work, name="run follower", daemon=True)
                self._thread.start()

    def is_following(self, folder: Path) -> bool:
        """True if the run is being read or waits for it."""
        return folder in self._waiting

    def problem(self, folder: Path) -> str:
        """Why the run could not be read when it was followed last; "" if it could."""
        return self._problems.get(folder, "")

    def may_make_results(self, folder: Path) -> bool:
        """True unless the results of a run were made just now, for the time that they take."""
        return time.monotonic() >= self._again.get(folder, 0.0)

    def make_results(self, index: TrialIndex) -> None:
        """Makes the results of a run.

        Raises:
            UserError: the run cannot be read.
        """
        start = time.monotonic()
        try:
            make_results(index)
        finally:
            took = time.monotonic() - start
            self._again[index.folder] = time.monotonic() + _SHARE * took

    def _work(self) -> None:
        while folder := self._next():
            self._problems.pop(folder, None)
            try:
                self._read(folder)
            except WardroundError as error:
                self._problems[folder] = str(error)
            except Exception as error:  # its text may hold records, so only its kind is logged
                log.error("A run cannot be followed: %s", type(error).__name__)
                self._problems[folder] = (
                    f"Reading {folder} ended with {type(error).__name__}; load the page again."
                )
            self._waiting.pop(folder, None)

    def _next(self) -> Path | None:
        with self._lock:
            folder = next(iter(self._waiting), None)
            if folder is None:
                self._thread = None
            return folder

    def _read(self, folder: Path) -> None:
        with opened_index(folder) as index:
            while not index.grow(_SLICE):
                time.sleep(_PAUSE)
            results = kept_results(index)
            stale = results is None or not results.is_current
            if stale and self.may_make_results(folder):
                self.make_results(index)
