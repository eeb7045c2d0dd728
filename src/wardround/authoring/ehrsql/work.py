"""Makes questions and paraphrases and trains the parser, as the command line asks for it."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path

from wardround.agents.parser import save, train
from wardround.agents.t5.model_folder import ModelFolder, check_installed
from wardround.authoring.ehrsql import pair_sources
from wardround.authoring.ehrsql.declaration import (
    MakeOptions,
    ParaphraseOptions,
    ParserTraining,
    T5Training,
)
from wardround.authoring.ehrsql.paraphrases import (
    Paraphrased,
    Paraphraser,
    Template,
    accepted_wordings,
    chosen_templates,
)
from wardround.authoring.ehrsql.paraphrases import paraphrase as paraphrased
from wardround.authoring.ehrsql.questions import MadeSet, make_ehrsql
from wardround.benchmarks.ehrsql.pairs import load_pairs
from wardround.core.benchmark import Summary, Table
from wardround.core.errors import UserError
from wardround.core.option_types import TIME_FORMAT
from wardround.core.trajectory import Requested
from wardround.core.work import WorkContext, WorkResult
from wardround.ehr.database import open_database

_COLUMNS = {
    "questions": "questions",
    "answerable": "answerable",
    "templates": "templates",
    "tables/Q": "tables",
    "nesting/Q": "nesting",
    "% time": "time_used",
    "% Spider": "in_spider",
}


def make(options: MakeOptions, context: WorkContext) -> WorkResult:
    """Makes questions about a database.

    Raises:
        UserError: The database has no layout that questions can be made about.
    """
    time = options.current_time
    now = None if time is None else datetime.strptime(time, TIME_FORMAT)
    more = accepted_wordings(options.paraphrases) if options.paraphrases else {}
    done = 0

    def advance(wanted: int) -> None:
        nonlocal done
        done += 1
        context.progress(done, wanted, "questions")

    made = make_ehrsql(options.database, options.to, options.seed, options.size, now, advance, more)
    return WorkResult(
        Summary({"questions": _statistics(made)}), (*_notes(made), f"Written to {options.to}.")
    )


def paraphrase(options: ParaphraseOptions, context: WorkContext) -> WorkResult:
    """Asks for wordings, adds them to the review file, and says what came of each step.

    Raises:
        UserError: A template is not known, the file is none, or a role has no model.
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
    found = asyncio.run(_ask_all(paraphraser, templates, options, context))
    to = options.to
    last = (
        f"Read {to} and write accept or strike before each wording; then "
        f"`wardround tasks make ehrsql --paraphrases {to}`."
    )
    return WorkResult(notes=(*_steps(found), _spent(requests), last))


def train_parser(options: ParserTraining, context: WorkContext) -> WorkResult:
    """Trains the parser on questions with their SQL, published or generated.

    Raises:
        UserError: The file is there already, or there is nothing to learn from.
    """
    to = options.to
    _check_writable(to)
    if options.tasks is None and not options.made:
        raise UserError("There is nothing to learn from; name --tasks, or leave --made above 0.")
    with closing(open_database(options.database)) as database:
        context.progress(0, None, "making questions …")
        pairs = (
            pair_sources.published(database.url, options.seed, str(options.tasks), options.made)
            if options.tasks
            else pair_sources.made(database.url, options.seed, count=options.made)
        )
        parser = train(pairs, database, lambda step: context.progress(0, None, f"{step} …"))
        save(parser, to)
    kinds = len({variant.kind for variant in parser.variants})
    note = (
        f"{to}: {kinds} kinds of questions in {len(parser.variants)} forms; "
        f"answers from a confidence of {parser.threshold:.2f} on."
    )
    return WorkResult(notes=(note,))


def train_t5(options: T5Training, context: WorkContext) -> WorkResult:
    """Fine-tunes a sequence-to-sequence model into a folder, and draws its losses.

    Raises:
        UserError: The extra is not installed, or a file, the database or the base cannot be read.
    """
    check_installed()
    from wardround.agents.t5.fine_tuning import FineTuning, fine_tune, loss_curve
    from wardround.agents.t5.trainer import Schedule

    schedule = Schedule(
        options.steps,
        options.batch,
        options.length,
        options.rate,
        options.decay,
        options.clip,
        options.every,
        options.seed,
    )
    tables = _tables(options.database) if options.database else {}
    valid = load_pairs(options.valid) if options.valid else ()
    pairs = load_pairs(options.tasks)
    losses = fine_tune(
        FineTuning(pairs, valid, options.base, tables, schedule, options.beams),
        ModelFolder(options.to),
        lambda step, loss: context.progress(step, options.steps, f"loss {loss:.3f}"),
    )
    last = losses[-1]
    beside = "" if last.valid is None else f", validation loss {last.valid:.3f}"
    note = f"{options.to}: {last.step} steps, loss {last.train:.3f}{beside}"
    return WorkResult(
        Summary({}, {"losses": loss_curve(losses)}), problems=(note,), plots=options.to
    )


def _tables(location: str) -> dict[str, list[str]]:
    with closing(open_database(location)) as database:
        return {
            table: [column.name for column in database.columns(table)]
            for table in database.tables()
        }


def _statistics(made: MadeSet) -> Table:
    rows = []
    for split, figures in made.statistics.items():
        row = figures.as_json()
        rows.append((split, *(row[name] for name in _COLUMNS.values())))
    return Table("Questions", ("split", *_COLUMNS), tuple(rows))


def _notes(made: MadeSet) -> list[str]:
    notes = []
    if made.tied:
        notes.append(
            f"{made.tied:,} questions leave the choice among rows of one time to the engine."
        )
    if made.short:
        names = ", ".join(f"{id} ({count:,})" for id, count in made.short.items())
        notes.append(f"Not enough in the records for: {names}.")
    return notes


async def _ask_all(
    paraphraser: Paraphraser,
    templates: Sequence[Template],
    options: ParaphraseOptions,
    context: WorkContext,
) -> list[Paraphrased]:
    found = []
    try:
        asked = paraphrased(
            paraphraser, templates, options.to, again=options.again, at_once=options.concurrency
        )
        async for one in asked:
            found.append(one)
            context.progress(len(found), len(templates), "templates")
    finally:
        await context.models.close()
    return found


def _steps(found: Sequence[Paraphrased]) -> list[str]:
    candidates = [candidate for one in found for candidate in one.candidates]
    pruned = Counter(each.fault.partition(":")[0] for each in candidates if each.fault)
    by_step = ", ".join(f"{step} {count:,}" for step, count in pruned.items()) or "none"
    silent = [one.template.id for one in found if not one.candidates]
    lines = [
        f"{len(found):,} templates asked, {len(candidates):,} candidates: "
        f"{len(candidates) - pruned.total():,} left to be reviewed; pruned: {by_step}."
    ]
    if silent:
        lines.append(f"No wordings came for {', '.join(silent)}; the same command asks again.")
    return lines


def _spent(requests: Sequence[Requested]) -> str:
    costs = [request.cost for request in requests if request.cost is not None]
    read = sum(request.input_tokens for request in requests)
    written = sum(request.output_tokens for request in requests)
    cost = f", {sum(costs):.4f} US dollars" if costs and len(costs) == len(requests) else ""
    return f"{len(requests):,} requests: {read:,} tokens read, {written:,} written{cost}."


def _check_writable(to: Path) -> None:
    """Before minutes of learning, not after them."""
    if to.exists():
        raise UserError(f"{to} is there already; name another file for the parser.")
    try:
        to.touch(exist_ok=False)
        to.unlink()
    except OSError as error:
        raise UserError(
            f"The parser cannot be written to {to} ({error.strerror}); name another file."
        ) from None
