"""The runs of a folder, with their indexes, results, notes and golds."""

import textwrap
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from fastapi import HTTPException

from wardround.apps.web.viewer.follower import Follower
from wardround.apps.web.viewer.results import Results, kept_results
from wardround.core.errors import UserError, WardroundError
from wardround.core.record import Outcome, TrialRecord
from wardround.core.run_document import OF_PEOPLE, SETTINGS
from wardround.core.run_reader import STARTED, read_settings, read_trajectory, read_verdict
from wardround.core.trajectory import WITHHELD
from wardround.core.verdict import Verdict, latest
from wardround.report.html import heading
from wardround.report.trial_index.search import Progress, TrialIndex, opened_index
from wardround.runs.scoring import GoldReader

_AT_ONCE = 500  # trials of a run whose results are made while its page waits
_LONGEST_NAME = 80  # characters of a question in the name of a conversation
_GROWTH = 0.1  # seconds for which a page waits for its run to be read
_LIST_GROWTH = 1.0  # seconds for which the list of runs waits for all of them


@dataclass(frozen=True, slots=True)
class ListedRun:
    """A run in the list of all runs."""

    name: str
    path: str
    heading: str
    started: str
    trials: int
    planned: int
    passed: int
    is_read: bool


@dataclass(frozen=True)
class ViewedRun:
    """A run with its open index.

    Attributes:
        name: its name in addresses.
        path: its path below the folder of all runs.
        index: its index.
        settings: the content of `run.json`.
        progress: the part of it that was read.
        results: the latest results; None before the first.
        problem: why it cannot be read further; "" if it can.
    """

    name: str
    path: str
    index: TrialIndex
    settings: Mapping[str, Any]
    progress: Progress
    results: Results | None
    problem: str = ""

    @property
    def folder(self) -> Path:
        """The run's folder."""
        return self.index.folder

    @property
    def planned(self) -> int:
        """The number of trials that it is to have."""
        return planned(self.settings)

    @property
    def is_over(self) -> bool:
        """True if all its trials are over and read, and its results are about all of them."""
        is_shown = self.results is not None and self.results.is_current
        return (
            is_shown and self.progress.is_over and self.progress.trials >= self.planned
        ) or bool(self.problem)

    @property
    def title(self) -> str:
        """Its benchmark, agent, model, databases and date."""
        return _title(self.settings)

    @property
    def is_of_people(self) -> bool:
        """True if its trials are questions of people, for which there is no gold."""
        return bool(self.settings.get("tasks", {}).get("source") == OF_PEOPLE)

    def name_of(self, record: TrialRecord) -> str:
        """A trial's task and number; of people, their first question and the number of this one."""
        first = self.index.trial(record.task, 0) if self.is_of_people else None
        asked = _first_question(self.folder, first) if first else ""
        number = f"(question {record.trial + 1})"
        return f"{shortened(asked)} {number}" if asked else f"{record.task}:{record.trial}"

    def record(self, task: str, trial: int) -> TrialRecord:
        """A trial.

        Raises:
            HTTPException: there is none.
        """
        if (record := self.index.trial(task, trial)) is None:
            raise HTTPException(404, "There is no such trial.")
        return record


@dataclass(frozen=True)
class Runs:
    """The runs in a folder, or one run; a name that is not listed does not exist.

    Attributes:
        root: the folder.
        follower: reads large runs.
    """

    root: Path
    follower: Follower = field(default_factory=Follower)

    def paths(self) -> dict[str, Path]:
        """The folder of each run by its name."""
        if (self.root / SETTINGS).is_file():
            return {_name(Path(self.root.resolve().name or "run")): self.root}
        folders = [path.parent for path in sorted(self.root.glob(f"**/{SETTINGS}"))]
        return {_name(folder.relative_to(self.root)): folder for folder in folders}

    def folder(self, name: str) -> Path:
        """The folder of a run.

        Raises:
            HTTPException: there is no such run.
        """
        if (folder := self.paths().get(name)) is None:
            raise HTTPException(404, "There is no such run.")
        return folder

    def titles(self, benchmark: str) -> dict[str, str]:
        """The title of each run of a benchmark that can be read, by name."""
        titles = {}
        for name, folder in self.paths().items():
            with suppress(WardroundError):  # the list of runs says why
                settings = _settings(folder)
                if settings["settings"]["benchmark"] == benchmark:
                    titles[name] = f"{_path(name)}: {_title(settings)}"
        return titles

    def opened(self, name: str) -> ViewedRun:
        """A run with its index, which has to be closed.

        Raises:
            HTTPException: there is no such run.
            UserError: it cannot be read.
        """
        folder = self.folder(name)
        settings = _settings(folder)
        index = opened_index(folder)
        try:
            problem = self._grow(index, _GROWTH)
            progress, results = index.progress(), kept_results(index)
        except BaseException:
            index.connection.close()
            raise
        return ViewedRun(name, _path(name), index, settings, progress, results, problem)

    def _grow(self, index: TrialIndex, seconds: float) -> str:
        """Reads the run for a moment, and on beside the page if it is large; says what is wrong."""
        folder = index.folder
        if self.follower.is_following(folder):
            return ""
        problem = self.follower.problem(folder)
        try:
            is_read = index.grow(seconds)
            results = kept_results(index)
            if is_read and (results is None or not results.is_current):
                if index.progress().trials > _AT_ONCE:
                    is_read = not self.follower.may_make_results(folder)
                else:
                    self.follower.make_results(index)
        except WardroundError as error:
            return str(error)
        if not is_read and not problem:
            self.follower.follow(folder)
        return problem

    def listed(self) -> tuple[list[ListedRun], dict[str, str]]:
        """The runs, the latest first, and those that cannot be read with their problems."""
        listed, unreadable = list[ListedRun](), dict[str, str]()
        ends = time.monotonic() + _LIST_GROWTH
        for name, folder in self.paths().items():
            try:
                listed.append(self._listed(name, folder, max(0.0, ends - time.monotonic())))
            except WardroundError as error:
                unreadable[_path(name)] = str(error)
        return sorted(listed, key=lambda run: run.started, reverse=True), unreadable

    def _listed(self, name: str, folder: Path, seconds: float) -> ListedRun:
        settings = _settings(folder)
        with opened_index(folder) as index:
            is_free = seconds > 0 and not self.follower.is_following(folder)
            if is_free and not index.grow(min(seconds, _GROWTH)):
                self.follower.follow(folder)
            outcomes, progress = index.outcomes(), index.progress()
        return ListedRun(
            name,
            _path(name),
            _title(settings),
            str(settings.get(STARTED, "")),
            sum(outcomes.values()),
            planned(settings),
            outcomes.get(Outcome.PASSED.value, 0),
            progress.share >= 1,
        )


@dataclass(frozen=True, slots=True)
class Golds:
    """The golds of a run, and why they cannot be read, if so."""

    reader: GoldReader
    problems: Sequence[str]


def golds(run: ViewedRun) -> Golds:
    """Reads the golds of a run; kept, since reading tasks takes a moment."""
    known = (run.folder / SETTINGS).stat()
    return _golds(run.folder, (known.st_ino, known.st_mtime_ns))


@lru_cache(maxsize=4)
def _golds(folder: Path, version: tuple[int, int]) -> Golds:
    problems: list[str] = []

    def verdicts(record: TrialRecord) -> list[Verdict]:
        with opened_index(folder) as index:
            return own_verdicts(index, record)

    return Golds(GoldReader(folder, problems.append, verdicts=verdicts), problems)


def own_verdicts(index: TrialIndex, record: TrialRecord) -> list[Verdict]:
    """The run's own verdicts on a trial, by its index.

    Raises:
        UserError: one was changed.
    """
    lines = [read_verdict(index.folder, where) for where in index.verdicts(record)]
    return latest(line.verdict for line in lines if not line.judge)


def _first_question(folder: Path, record: TrialRecord) -> str:
    """The first question of a person; "" if it is not recorded, or if its page says why not."""
    try:
        asked = read_trajectory(folder, record.trajectory).said_by("user")
    except UserError:
        return ""
    return asked[0] if asked and asked[0] != WITHHELD else ""


def shortened(question: str) -> str:
    """The beginning of a question, in one line.

    >>> shortened("How many beds  are there?")
    'How many beds are there?'
    """
    return textwrap.shorten(question, _LONGEST_NAME, placeholder=" …")


def planned(settings: Mapping[str, Any]) -> int:
    """The number of trials that a run is to have."""
    return int(settings.get("tasks", {}).get("count", 0) * settings["settings"].get("trials", 0))


def _settings(folder: Path) -> dict[str, Any]:
    """The settings of a run.

    Raises:
        UserError: it is not a run of this version.
    """
    settings = read_settings(folder)
    try:
        planned(settings)
        _title(settings)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise UserError(
            f"{folder / SETTINGS} does not have the settings of a run ({type(error).__name__}); "
            "restore it as wardround wrote it."
        ) from None
    return settings


def _title(settings: Mapping[str, Any]) -> str:
    return heading({**settings["settings"], **settings})


def _name(path: Path) -> str:
    """A relative path in addresses, where "/" would divide it."""
    return str(path).replace("~", "~0").replace("/", "~1")


def _path(name: str) -> str:
    return name.replace("~1", "/").replace("~0", "~")
