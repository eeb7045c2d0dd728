"""Input and result of work that is done by name, such as making tasks."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeAlias

from wardround.core.benchmark import Summary
from wardround.core.declaration import Models_co

Progress: TypeAlias = Callable[[int, int | None, str], None]


def silent(done: int, total: int | None, text: str) -> None:
    """Report no progress."""


@dataclass(frozen=True, slots=True)
class WorkContext(Generic[Models_co]):
    """The models and the progress callback of work.

    Attributes:
        models: The models of its roles, as `wardround.models.roles.Models`; each is opened on
            first use.
        progress: Called with the number done, the total (None if unknown), and a text.
    """

    models: Models_co
    progress: Progress = silent


@dataclass(frozen=True, slots=True)
class WorkResult:
    """The result of work; the command line prints it.

    Attributes:
        summary: Tables and figures.
        notes: Lines for standard output.
        problems: Lines for standard error.
        status: The exit status.
        values: More values for `--json`.
        long: Names of tables that only `--json` prints.
        plots: The folder where the figures of the summary are drawn; None draws none.
    """

    summary: Summary = field(default_factory=lambda: Summary({}))
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    status: int = 0
    values: Mapping[str, Any] = field(default_factory=dict)
    long: tuple[str, ...] = ()
    plots: Path | None = None


@dataclass(frozen=True, slots=True)
class SuiteRequest:
    """The suite that an assessment of an agent asks a maker for.

    Attributes:
        database: a file or a URL.
        record_map: a record map of the database's tables; None for that of its layout.
        folder: a folder for the suite, which does not exist yet.
        tasks: the number of tasks, at least 1; a maker may make fewer.
        seed: same seed, same tasks.
        progress: called as the suite is made.
    """

    database: str
    record_map: Path | None
    folder: Path
    tasks: int
    seed: int
    progress: Progress = silent


@dataclass(frozen=True, slots=True)
class MadeSuite:
    """A suite made for an assessment.

    Attributes:
        tasks: the file or folder of tasks, as `--tasks` takes it.
        count: the number of tasks.
        layout: the database's name in the tasks.
        options: further options of the benchmark, by name.
        pairs: the pair source for an agent that learns before the run, as `pairs=NAME[=FILE]`
            takes it; "" for the agent's own.
        record: the database that the tasks are played on, if it was made with them; None for the
            request's.
    """

    tasks: Path
    count: int
    layout: str
    options: Mapping[str, str] = field(default_factory=dict)
    pairs: str = ""
    record: Path | None = None
