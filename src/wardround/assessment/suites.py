"""Makes the suites of an assessment: of every benchmark whose tasks the database serves."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Any

import orjson
from pydantic import TypeAdapter

from wardround.core import plugins
from wardround.core.declaration import WorkDeclaration
from wardround.core.declared import benchmark_class
from wardround.core.errors import UserError
from wardround.core.private_files import make_folder, write_whole
from wardround.core.work import MadeSuite, SuiteRequest

FROM_THE_WARD = "from the ward"

_STORED = ".json"


@dataclass(frozen=True, slots=True)
class BenchmarkSuite:
    """A benchmark's suite of a database, or why there is none.

    Attributes:
        benchmark: the benchmark.
        suite: its suite; None if the database does not serve it.
        reason: why there is none.
        group: where its tasks are from, if a person named them; "" if they are made.
        requested: the number of tasks that was asked for.
    """

    benchmark: str
    suite: MadeSuite | None
    reason: str = ""
    group: str = ""
    requested: int = 0

    @property
    def name(self) -> str:
        """Its name on the page."""
        return f"{self.benchmark}, {self.group}" if self.group else self.benchmark

    @property
    def run(self) -> str:
        """The name of its run's folder."""
        return f"{self.benchmark}-{_dashed(self.group)}" if self.group else self.benchmark

    @property
    def count(self) -> int:
        """Its number of tasks."""
        return self.suite.count if self.suite else 0

    @property
    def may_grow(self) -> bool:
        """True if the database may serve more tasks: it has served all that were asked for."""
        return 0 < self.requested <= self.count


def group_of(run: str) -> str:
    """The group of the tasks of a run, by the name of its folder."""
    return FROM_THE_WARD if _dashed(FROM_THE_WARD) in run else ""


def _dashed(group: str) -> str:
    return group.replace(" ", "-")


def suite_makers() -> dict[str, WorkDeclaration]:
    """The makers whose suites an assessment can use, by benchmark."""
    return {
        name: declared
        for name, declared in plugins.load_all(plugins.work("make"))
        if isinstance(declared, WorkDeclaration) and declared.suite
    }


def make_suites(
    request: SuiteRequest, plays: Callable[[str], str], say: Callable[[str], None]
) -> list[BenchmarkSuite]:
    """Makes the suites, or reads those that an interrupted assessment made.

    The tasks are shared evenly; the share of a benchmark that the database does not serve passes
    on to the others. Benchmarks that cannot make a suite come last, each with the reason.

    Args:
        request: what to make; `tasks` is the number over all suites.
        plays: why the agent does not play a benchmark; "" if it does.
        say: called with a line before a suite is made.

    Raises:
        UserError: the database serves no benchmark that the agent plays.
    """
    suites = list(_made_one_by_one(request, plays, say))
    if not any(each.suite for each in suites):
        raise UserError(
            f"No suite can be made of {request.database} for this agent ({_reasons(suites)})."
        )
    return [*_grown(suites, request, say), *_without_maker()]


def _reasons(suites: Sequence[BenchmarkSuite]) -> str:
    """Why there is no suite, each reason once with its benchmarks."""
    benchmarks: dict[str, list[str]] = {}
    for each in suites:
        benchmarks.setdefault(each.reason.rstrip("."), []).append(each.benchmark)
    return "; ".join(f"{', '.join(names)}: {reason}" for reason, names in benchmarks.items())


def named_suite(benchmark: str, tasks: Path, made: Sequence[BenchmarkSuite]) -> BenchmarkSuite:
    """A suite of a person's own tasks, which is played as the benchmark's made one is.

    Raises:
        UserError: there is no made suite of the benchmark, or the tasks cannot be read.
    """
    made_suite = next(
        (each.suite for each in made if each.benchmark == benchmark and each.suite), None
    )
    if made_suite is None:
        raise UserError(
            f"{tasks} cannot be played, since no tasks of {benchmark!r} are made of this database; "
            "leave it out."
        )
    count = len(benchmark_class(benchmark).read(tasks).tasks)
    return BenchmarkSuite(
        benchmark, replace(made_suite, tasks=tasks, count=count), group=FROM_THE_WARD
    )


def _made_one_by_one(
    request: SuiteRequest, plays: Callable[[str], str], say: Callable[[str], None]
) -> Iterator[BenchmarkSuite]:
    makers = suite_makers()
    remaining = request.tasks
    for number, (benchmark, declared) in enumerate(makers.items()):
        share = remaining // (len(makers) - number)
        if reason := plays(benchmark):
            yield BenchmarkSuite(benchmark, None, reason)
            continue
        suite = _stored_suite(benchmark, request.folder) or _make_suite(
            benchmark, declared, replace(request, tasks=max(1, share)), say
        )
        remaining -= suite.count
        yield suite


def _grown(
    suites: Sequence[BenchmarkSuite], request: SuiteRequest, say: Callable[[str], None]
) -> Iterator[BenchmarkSuite]:
    """The suites with the tasks that the others do not serve, those that may grow made anew."""
    remaining = request.tasks - sum(each.count for each in suites)
    growing = [each.benchmark for each in suites if each.may_grow]
    for each in suites:
        if each.benchmark not in growing or remaining <= 0:
            yield each
            continue
        share = -(-remaining // (len(growing) - growing.index(each.benchmark)))
        wanted = replace(request, tasks=each.count + share)
        grown = _make_suite(each.benchmark, suite_makers()[each.benchmark], wanted, say)
        remaining -= grown.count - each.count
        yield grown


def _without_maker() -> Iterator[BenchmarkSuite]:
    """The benchmarks whose tasks no maker makes of a database, with the reason."""
    reasons = {
        name: declared.no_suite
        for name, declared in plugins.load_all(plugins.work("make"))
        if isinstance(declared, WorkDeclaration)
    }
    for name in plugins.names(plugins.BENCHMARKS):
        if name not in suite_makers():
            yield BenchmarkSuite(name, None, reasons.get(name) or "there is no maker of its tasks")


def _stored_suite(benchmark: str, folder: Path) -> BenchmarkSuite | None:
    """The suite that an interrupted assessment made; None if there is none."""
    stored = folder / f"{benchmark}{_STORED}"
    if not stored.exists():
        return None
    return _with_whole_paths(TypeAdapter(BenchmarkSuite).validate_json(stored.read_bytes()), folder)


def _make_suite(
    benchmark: str,
    declared: WorkDeclaration,
    request: SuiteRequest,
    say: Callable[[str], None],
) -> BenchmarkSuite:
    """A suite in its own folder, kept for the next call."""
    folder = request.folder / benchmark
    stored = request.folder / f"{benchmark}{_STORED}"
    stored.unlink(missing_ok=True)
    say(f"{benchmark}: making a suite")
    shutil.rmtree(folder, ignore_errors=True)
    make_folder(request.folder)
    make = plugins.implementation(declared.suite)
    started = monotonic()
    try:
        made: MadeSuite = make(replace(request, folder=folder))
    except UserError as error:  # not stored: the next call tries again
        shutil.rmtree(folder, ignore_errors=True)
        return BenchmarkSuite(benchmark, None, str(error))
    say(f"{benchmark}: made in {monotonic() - started:.0f} s")
    # Relative, so that the folder may be moved.
    moved = _with_paths(made, lambda path: path.relative_to(request.folder))
    suite = BenchmarkSuite(benchmark, moved, requested=request.tasks)
    stored_suite = TypeAdapter(BenchmarkSuite).dump_python(suite, mode="json")
    write_whole(stored, orjson.dumps(stored_suite) + b"\n")
    return _with_whole_paths(suite, request.folder)


def _with_whole_paths(suite: BenchmarkSuite, folder: Path) -> BenchmarkSuite:
    """The suite with the paths of its tasks and record."""
    if suite.suite is None:
        return suite
    return replace(suite, suite=_with_paths(suite.suite, folder.joinpath))


def _with_paths(made: MadeSuite, change: Callable[[Path], Path]) -> MadeSuite:
    return replace(made, tasks=change(made.tasks), record=made.record and change(made.record))


def suites_without_end(benchmark: str, first: SuiteRequest) -> Iterator[dict[str, Any]]:
    """The options that open each suite of a benchmark, made by one seed after another.

    Raises:
        UserError: no tasks of it are made, or none of this database.
    """
    if (declared := suite_makers().get(benchmark)) is None:
        raise UserError(f"No tasks of {benchmark!r} are made; those are: {[*suite_makers()]}.")
    make, seed = plugins.implementation(declared.suite), first.seed
    while True:
        made = make(replace(first, folder=first.folder / str(seed), seed=seed))
        database = {made.layout: str(made.record or first.database)}
        yield {**made.options, "tasks": made.tasks, "database": database}
        seed += 1
