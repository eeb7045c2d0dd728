"""Rehearsals: a session played with its gold, in each grading and language."""

from asyncio import run
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from wardround.benchmarks.assist.benchmark import AssistBenchmark
from wardround.benchmarks.assist.declaration import BENCHMARK, PAPER, STRICT, AssistOptions
from wardround.benchmarks.assist.sessions import LANGUAGES, Language, Session
from wardround.core.declaration import Opening
from wardround.core.errors import InfraError, UserError
from wardround.core.session import play_trial
from wardround.core.trajectory import Trajectory
from wardround.ehr.fhir.charts import Chart

_PLACE = "the candidates' record"


class _NoModels:
    """Nobody to play a role: the patient speaks by script, and programs judge."""

    def find(self, role: str) -> None:
        """No model."""

    def open(self, role: str) -> Any:
        """No model can be opened.

        Raises:
            UserError: always.
        """
        raise UserError(f"A rehearsal has no model for {role}.")

    async def close(self) -> None:
        """Nothing is open."""


@dataclass(frozen=True)
class Rehearsals:
    """The benchmark on a record: graded in both languages, and once more as published.

    Attributes:
        graded: the benchmark whose programs decide the items, by language.
        paper: the benchmark with the published tools, whose results are the same in both.
    """

    graded: Mapping[Language, AssistBenchmark]
    paper: AssistBenchmark

    @classmethod
    def on(cls, chart: Chart) -> Self:
        """The rehearsals on a record."""
        return cls(
            {language: _opened(chart, STRICT, language) for language in LANGUAGES},
            _opened(chart, PAPER, "en"),
        )


def _opened(chart: Chart, grading: str, language: Language) -> AssistBenchmark:
    options = AssistOptions(language=language)
    opening = Opening(options, {"": _PLACE}, BENCHMARK.limits, _NoModels(), grading)
    return AssistBenchmark(chart, _PLACE, opening)


def rehearsed(benchmark: AssistBenchmark, session: Session) -> Trajectory:
    """A trial of a session with its gold.

    Raises:
        InfraError: the trial broke off.
    """
    oracle, limits = benchmark.oracle(session), BENCHMARK.limits
    last = run(play_trial(benchmark, oracle, session, 0, limits=limits, attempts=1)).last
    if last.outcome is not None:
        raise InfraError(f"A rehearsal of {session.id} broke off: {last.reason}.")
    return last.trajectory
