"""Rehearsals: a session played with its gold, in each grading and language, and judged."""

from asyncio import run
from contextlib import ExitStack
from typing import Any

from wardround.benchmarks.assist.benchmark import AssistBenchmark
from wardround.benchmarks.assist.declaration import BENCHMARK, PAPER, STRICT, AssistOptions
from wardround.benchmarks.assist.tasks import LANGUAGES, Session
from wardround.core.benchmark import AgentContext, JudgeContext, TrialContext
from wardround.core.declaration import Opening
from wardround.core.errors import UserError
from wardround.core.loop import converse
from wardround.core.trajectory import Ledger, Trajectory
from wardround.core.verdict import Verdict
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


def rehearsals(chart: Chart) -> list[AssistBenchmark]:
    """The benchmark on a record, once for each grading and language."""
    return [
        AssistBenchmark(
            chart, _PLACE,
            Opening(AssistOptions(language=language), {"": _PLACE}, BENCHMARK.limits,
                    _NoModels(), grading),
        )
        for grading in (STRICT, PAPER)
        for language in LANGUAGES
    ]  # fmt: skip


def rehearsed(benchmark: AssistBenchmark, session: Session) -> tuple[Trajectory, list[Verdict]]:
    """A trial of a session with its gold, and the programs' verdicts."""
    return run(_rehearsed(benchmark, session))


async def _rehearsed(
    benchmark: AssistBenchmark, session: Session
) -> tuple[Trajectory, list[Verdict]]:
    trajectory = Trajectory()
    context = TrialContext(0, BENCHMARK.limits, trajectory)
    environment = await benchmark.environment(session, context)
    try:
        with ExitStack() as cleanup:
            agent = benchmark.oracle(session)(
                environment.briefing, AgentContext(0, Ledger(), cleanup)
            )
            await converse(agent, environment, trajectory, BENCHMARK.limits)
    finally:
        await environment.close()
    judged = benchmark.judge(session, trajectory, JudgeContext())
    return trajectory, [verdict async for verdict in judged]
