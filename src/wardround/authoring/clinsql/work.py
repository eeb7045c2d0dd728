"""Makes cohort questions and other wordings for `tasks make` and `tasks paraphrase`."""

import asyncio
from collections.abc import Sequence
from typing import get_args

from wardround.authoring.clinsql.declaration import MakeOptions, ParaphraseOptions
from wardround.authoring.clinsql.paraphrases.candidates import (
    Wording,
    accepted_wordings,
    use_wordings,
)
from wardround.authoring.clinsql.paraphrases.paraphraser import Paraphraser
from wardround.authoring.clinsql.paraphrases.paraphraser import paraphrase as ask
from wardround.authoring.clinsql.specification import Level
from wardround.authoring.clinsql.strata import WINDOW, AnchorStratum
from wardround.authoring.clinsql.suite import MadeSuite, make_suite
from wardround.authoring.findings import left_out
from wardround.authoring.rewording.usage import spent
from wardround.benchmarks.clinsql.items.item import SCENARIOS, ClinTask
from wardround.benchmarks.clinsql.tasks import load_tasks
from wardround.core.benchmark import Summary, Table
from wardround.core.trajectory import Requested
from wardround.core.work import WorkContext, WorkResult
from wardround.models.roles import Models


def make(options: MakeOptions, context: WorkContext[object]) -> WorkResult:
    """Makes cohort questions about a database.

    Raises:
        UserError: The folder is not empty, or questions cannot be made about the database.
    """
    wordings = accepted_wordings(options.paraphrases) if options.paraphrases else {}
    made = make_suite(
        options.database,
        options.to,
        options.count,
        options.seed,
        options.cohort,
        lambda items: context.progress(items, options.count, "items"),
    )
    reworded = use_wordings(options.to, wordings)
    total = sum(made.counts.values())
    short = f"{total} of {options.count} items could be made; name a larger database or --cohort."
    return WorkResult(
        Summary({"items": _table(made), "strata": _strata(made), **left_out(made.findings)}),
        (*([f"{reworded} questions reworded."] if wordings else []), f"Written to {options.to}."),
        (short,) if total < options.count else (),
    )


def paraphrase(options: ParaphraseOptions, context: WorkContext[Models]) -> WorkResult:
    """Requests other wordings from a model and appends them to the review file.

    Raises:
        UserError: the folder holds no items, the file is not a review file, or a role has no model.
    """
    tasks = load_tasks(options.tasks).tasks
    requests: list[Requested] = []
    writer, judge = (context.models.open(role) for role in ("paraphraser", "judge"))
    paraphraser = Paraphraser(writer, judge, options.count, options.seed, requests.append)
    candidates = asyncio.run(_ask_all(paraphraser, tasks, options, context))
    open_ones = sum(not candidate.fault for candidate in candidates)
    return WorkResult(
        Summary(left_out(each.finding for each in candidates if each.finding)),
        (
            f"{len(candidates):,} candidates: {open_ones:,} left to be reviewed.",
            spent(requests),
            f"Read {options.to} and write accept or strike before each wording; then "
            f"`wardround tasks make clinsql --paraphrases {options.to}` with the same seed.",
        ),
    )


async def _ask_all(
    paraphraser: Paraphraser,
    tasks: Sequence[ClinTask],
    options: ParaphraseOptions,
    context: WorkContext[Models],
) -> list[Wording]:
    wordings: list[Wording] = []
    try:
        number = 0
        async for _, candidates in ask(paraphraser, tasks, options.to, options.concurrency):
            wordings += candidates
            number += 1
            context.progress(number, len(tasks), "questions")
    finally:
        await context.models.close()
    return wordings


def _table(made: MadeSuite) -> Table:
    levels = get_args(Level)
    rows: tuple[tuple[str | int, ...], ...] = tuple(
        (scenario, *(made.counts[scenario, level] for level in levels)) for scenario in SCENARIOS
    )
    return Table("Items", ("scenario", *levels), rows)


def _strata(made: MadeSuite) -> Table:
    """The items of each stratum of their anchors and windows."""
    dimensions = (*AnchorStratum._fields, WINDOW)
    rows = sorted((*key, count) for key, count in made.uses.items() if key[0] in dimensions)
    rows.sort(key=lambda row: dimensions.index(row[0]))
    return Table("Items by stratum", ("dimension", "stratum", "items"), tuple(rows))
