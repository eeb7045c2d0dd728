"""Measures trials per second, written to disk and graded as in a run."""

import tempfile
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from time import perf_counter

from wardround.core.record import TrialRecord
from wardround.core.run_writer import new_run
from wardround.core.trial import Scorer
from wardround.runs.batch import Job, run_batch
from wardround.runs.trials import Trials


async def rate(
    opened: AbstractAsyncContextManager[Trials], scorer: Scorer, jobs: Sequence[Job]
) -> tuple[float, list[TrialRecord]]:
    """Runs trials, eight at once; returns trials per second and their records."""
    records: list[TrialRecord] = []
    with tempfile.TemporaryDirectory() as folder, new_run(Path(folder) / "run", {}) as writer:
        async with opened as trials:
            started = perf_counter()
            await run_batch(
                list(jobs), trials, writer, scorer, concurrency=8, on_finished=records.append
            )
            seconds = perf_counter() - started
    return len(records) / seconds, records
