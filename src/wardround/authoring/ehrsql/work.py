"""Makes questions and paraphrases for the commands `tasks make` and `tasks paraphrase`."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TypeAlias

from wardround.authoring.ehrsql.declaration import MakeOptions, ParaphraseOptions
from wardround.authoring.ehrsql.paraphrases.candidates import (
    Paraphrase,
    accepted_wordings,
    chosen_templates,
)
from wardround.authoring.ehrsql.paraphrases.paraphraser import Paraphraser
from wardround.authoring.ehrsql.paraphrases.paraphraser import paraphrase as ask
from wardround.authoring.ehrsql.questions.suite import MadeSet, make_ehrsql
from wardround.authoring.ehrsql.templates import QuestionTemplate
from wardround.authoring.findings import Finding, left_out
from wardround.authoring.rewording.usage import spent
from wardround.core.benchmark import Summary, Table
from wardround.core.option_types import TIME_FORMAT
from wardround.core.trajectory import Requested
from wardround.core.work import WorkContext, WorkResult
from wardround.ehr.records import read_map
from wardround.models.roles import Models

# The reason for a template without wordings from the model.
NO_WORDINGS = "no wordings came; the same command asks again"

# The new candidates of each template, by template id.
Outcomes: TypeAlias = Mapping[str, Sequence[Paraphrase]]

_COLUMNS = {
    "questions": "questions",
    "answerable": "answerable",
    "templates": "templates",
    "tables/Q": "tables",
    "nesting/Q": "nesting",
    "% time": "time_used",
    "% Spider": "in_spider",
}


def make(options: MakeOptions, context: WorkContext[object]) -> WorkResult:
    """Makes questions about a database.

    Raises:
        UserError: questions cannot be made about the database's layout.
    """
    time = options.current_time
    now = None if time is None else datetime.strptime(time, TIME_FORMAT)
    more = accepted_wordings(options.paraphrases) if options.paraphrases else {}
    made = make_ehrsql(
        options.database,
        options.to,
        options.seed,
        options.size,
        now,
        context.progress,
        more,
        options.map,
    )
    tied = f"{made.tied:,} questions leave the choice among rows of one time to the engine."
    notes = [*([tied] if made.tied else []), f"Written to {options.to}."]
    if options.map:
        location = f"{read_map(options.map).layout}={options.database}"
        notes.append(f"Name the database as its map does: --database {location}")
    return WorkResult(
        Summary({"questions": _statistics(made), **left_out(made.findings)}), tuple(notes)
    )


def paraphrase(options: ParaphraseOptions, context: WorkContext[Models]) -> WorkResult:
    """Requests wordings from a model and appends them to the review file.

    Raises:
        UserError: a template is unknown, the file is not a review file, or a role has no model.
    """
    templates = chosen_templates(options.template)
    requests: list[Requested] = []
    paraphraser = Paraphraser(
        context.models.open("paraphraser"),
        context.models.open("judge"),
        options.count,
        options.distance,
        options.seed,
        requests.append,
    )
    outcomes = asyncio.run(_ask_all(paraphraser, templates, options, context))
    to = options.to
    last = (
        f"Read {to} and write accept or strike before each wording; then "
        f"`wardround tasks make ehrsql --paraphrases {to}`."
    )
    return WorkResult(
        Summary(left_out(_pruned(outcomes))), (_counts(outcomes), spent(requests), last)
    )


def _statistics(made: MadeSet) -> Table:
    rows = tuple(
        (split, *(figures[name] for name in _COLUMNS.values()))
        for split, figures in made.statistics.items()
    )
    return Table("Questions", ("split", *_COLUMNS), rows)


async def _ask_all(
    paraphraser: Paraphraser,
    templates: Sequence[QuestionTemplate],
    options: ParaphraseOptions,
    context: WorkContext[Models],
) -> Outcomes:
    outcomes: dict[str, Sequence[Paraphrase]] = {}
    try:
        async for template, candidates in ask(
            paraphraser, templates, options.to, again=options.again, at_once=options.concurrency
        ):
            outcomes[template.id] = candidates
            context.progress(len(outcomes), len(templates), "templates")
    finally:
        await context.models.close()
    return outcomes


def _counts(outcomes: Outcomes) -> str:
    candidates = [candidate for several in outcomes.values() for candidate in several]
    undecided = sum(not candidate.fault for candidate in candidates)
    return (
        f"{len(outcomes):,} templates asked, {len(candidates):,} candidates: "
        f"{undecided:,} left to be reviewed."
    )


def _pruned(outcomes: Outcomes) -> Iterator[Finding]:
    """Findings for wordings that failed a check, and for templates without wordings."""
    for id, candidates in outcomes.items():
        if not candidates:
            yield Finding(id, NO_WORDINGS, kind="template")
        yield from filter(None, (candidate.finding for candidate in candidates))
