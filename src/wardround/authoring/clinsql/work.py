"""Makes cohort questions for the command `tasks make`."""

from typing import get_args

from wardround.authoring.clinsql.declaration import MakeOptions
from wardround.authoring.clinsql.specification import Level
from wardround.authoring.clinsql.suite import MadeSuite, make_suite
from wardround.authoring.findings import left_out
from wardround.benchmarks.clinsql.tasks import SCENARIOS
from wardround.core.benchmark import Summary, Table
from wardround.core.work import WorkContext, WorkResult


def make(options: MakeOptions, context: WorkContext) -> WorkResult:
    """Makes cohort questions about a database.

    Raises:
        UserError: The folder is not empty, or questions cannot be made about the database.
    """
    made = make_suite(
        options.database,
        options.to,
        options.count,
        options.seed,
        options.cohort,
        lambda items: context.progress(items, options.count, "items"),
    )
    total = sum(made.counts.values())
    short = f"{total} of {options.count} items could be made; name a larger database or --cohort."
    return WorkResult(
        Summary({"items": _table(made), **left_out(made.findings)}),
        (f"Written to {options.to}.",),
        (short,) if total < options.count else (),
    )


def _table(made: MadeSuite) -> Table:
    levels = get_args(Level)
    rows: tuple[tuple[str | int, ...], ...] = tuple(
        (scenario, *(made.counts[scenario, level] for level in levels)) for scenario in SCENARIOS
    )
    return Table("Items", ("scenario", *levels), rows)
