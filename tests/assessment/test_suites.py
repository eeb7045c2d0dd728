"""The suites of an assessment: shares of the tasks, and reasons for benchmarks without any."""

from collections.abc import Callable
from pathlib import Path

import pytest

from wardround.assessment import suites
from wardround.assessment.suites import BenchmarkSuite, make_suites
from wardround.core import plugins
from wardround.core.declaration import WorkDeclaration
from wardround.core.errors import UserError
from wardround.core.work import MadeSuite, SuiteRequest


def makes_all(request: SuiteRequest) -> MadeSuite:
    """Makes all tasks that are asked for."""
    return MadeSuite(request.folder / "tasks.jsonl", request.tasks, "ward")


def makes_four(request: SuiteRequest) -> MadeSuite:
    """Makes at most four tasks."""
    return MadeSuite(request.folder / "tasks.jsonl", min(4, request.tasks), "ward")


def makes_none(request: SuiteRequest) -> MadeSuite:
    """Makes nothing."""
    raise UserError("The record has no notes; load them.")


Makers = Callable[..., None]


@pytest.fixture
def makers(monkeypatch: pytest.MonkeyPatch) -> Makers:
    """Puts makers of suites in place of the installed ones; their names sort as they are given."""

    def put(*functions: Callable[[SuiteRequest], MadeSuite]) -> None:
        declared = {
            f"bench{place}": WorkDeclaration(
                f"bench{place}", "Makes.", "none:none", suite=f"{__name__}:{function.__name__}"
            )
            for place, function in enumerate(functions)
        }
        monkeypatch.setattr(suites, "suite_makers", lambda: declared)

    return put


def made(folder: Path, tasks: int) -> tuple[list[BenchmarkSuite], list[str]]:
    """The suites of the makers in place, and what was told."""
    told: list[str] = []
    request = SuiteRequest("ward.sqlite", None, folder, tasks, 0)
    return [
        each
        for each in make_suites(request, lambda benchmark: "", told.append)
        if each.benchmark.startswith("bench")
    ], told


@pytest.mark.parametrize(
    ("functions", "counts"),
    [
        ((makes_all, makes_all, makes_all), [10, 10, 10]),
        ((makes_none, makes_all, makes_all), [0, 15, 15]),
        ((makes_all, makes_all, makes_none), [15, 15, 0]),
        ((makes_all, makes_none, makes_none), [30, 0, 0]),
        ((makes_all, makes_none, makes_four), [26, 0, 4]),
        ((makes_all, makes_four, makes_all, makes_none), [12, 4, 14, 0]),
        ((makes_four, makes_none), [4, 0]),
    ],
)
def test_a_share_that_cannot_be_made_goes_to_the_others(
    makers: Makers,
    tmp_path: Path,
    functions: tuple[Callable[[SuiteRequest], MadeSuite], ...],
    counts: list[int],
) -> None:
    makers(*functions)
    first, _ = made(tmp_path, 30)
    assert [each.count for each in first] == counts
    again, told = made(tmp_path, 30)
    assert again == first
    failing = [place for place, function in enumerate(functions) if function is makes_none]
    assert told == [f"bench{place}: making a suite" for place in failing]


def test_every_benchmark_without_a_suite_has_its_reason(makers: Makers, tmp_path: Path) -> None:
    installed = set(plugins.names(plugins.BENCHMARKS)) - set(suites.suite_makers())
    assert installed
    makers(makes_all, makes_none)
    request = SuiteRequest("ward.sqlite", None, tmp_path, 8, 0)
    told = make_suites(request, lambda benchmark: "", lambda line: None)
    reasons = {each.benchmark: each.reason for each in told if each.suite is None}
    assert reasons["bench1"] == "The record has no notes; load them."
    assert installed <= set(reasons)
    assert all(reasons.values())


def makes_nothing_either(request: SuiteRequest) -> MadeSuite:
    """Makes nothing, for another reason."""
    raise UserError("The record has no stays.")


def test_a_reason_that_several_benchmarks_share_is_given_once(
    makers: Makers, tmp_path: Path
) -> None:
    makers(makes_none, makes_nothing_either, makes_none)
    request = SuiteRequest("ward.sqlite", None, tmp_path, 8, 0)
    with pytest.raises(UserError) as raised:
        make_suites(request, lambda benchmark: "", lambda line: None)
    assert str(raised.value) == (
        "No suite can be made of ward.sqlite for this agent (bench0, bench2: The record has no "
        "notes; load them; bench1: The record has no stays)."
    )
