"""Plays an agent's trials on the suites of an assessment, and reads them back."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wardround.assessment.evidence import Harms, PlayedSuite
from wardround.core.capabilities import HarmReporter
from wardround.core.declared import benchmark_class
from wardround.core.record import TrialRecord
from wardround.core.run_check import check_run
from wardround.core.run_reader import read_settings, read_trials
from wardround.report.run_report import read_report
from wardround.runs.resume import resume_run
from wardround.runs.settings import RunSettings
from wardround.runs.start import Listener, start_run

RUN_FILE = "run.json"


@dataclass(frozen=True, slots=True)
class Part:
    """The trials of an assessment on one benchmark.

    Attributes:
        settings: the settings of its run.
        folder: the folder of its run.
    """

    settings: RunSettings
    folder: Path

    @property
    def benchmark(self) -> str:
        """The benchmark."""
        return self.settings.benchmark


def play(part: Part, watch: Callable[[], AbstractContextManager[Listener]]) -> None:
    """Plays the trials that are not on disk yet.

    Raises:
        UserError: a part of the run cannot be opened, or its tasks or database have changed.
        KeyboardInterrupt: the user stopped it; finished trials are on disk.
    """
    if is_over(part.folder):
        return
    with watch() as listener:
        if (part.folder / RUN_FILE).exists():
            resume_run(part.folder, listener, again=frozenset())
        else:
            start_run(part.settings, part.folder, listener, force=False)


def is_over(folder: Path) -> bool:
    """True if all trials of a run are on disk, as they were written."""
    if not (folder / RUN_FILE).exists():
        return False
    check = check_run(folder)
    settings = read_settings(folder)
    planned = settings["tasks"]["count"] * settings["settings"]["trials"]
    return check.sealed and not check.mismatches and len(read_trials(folder)) >= planned


def played_suite(benchmark: str, folder: Path) -> PlayedSuite:
    """The trials of a run that are on disk, with their harms."""
    trials = read_trials(folder)
    return PlayedSuite(benchmark, trials, _harms(benchmark, trials))


def _harms(benchmark: str, trials: Sequence[TrialRecord]) -> Harms:
    found: Any = benchmark_class(benchmark)
    return found.harms(trials) if issubclass(found, HarmReporter) else {}


def databases_of(parts: Sequence[Part]) -> list[str]:
    """The fingerprints of the databases of the runs."""
    found = [read_settings(part.folder).get("databases", {}).values() for part in parts]
    return sorted({str(digest) for digests in found for digest in digests})


def notices_of(parts: Sequence[Part]) -> list[str]:
    """The sentences on the runs' authenticity and completeness, and on the agent."""
    found = [read_report(part.folder).notices for part in parts]
    return list(dict.fromkeys(notice for notices in found for notice in notices))
