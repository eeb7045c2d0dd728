"""Fine-tunes T5 into a folder, for the command line."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from wardround.agents.declarations import T5Training
from wardround.agents.pairs import Pair, TrainingPairs
from wardround.agents.t5.model_folder import ModelFolder, check_installed
from wardround.core import plugins
from wardround.core.benchmark import Summary
from wardround.core.work import WorkContext, WorkResult
from wardround.ehr.database import open_database


def train_t5(options: T5Training, context: WorkContext[object]) -> WorkResult:
    """Fine-tunes a sequence-to-sequence model into a folder, and draws its losses.

    Raises:
        UserError: The extra is not installed, or a file, the database or the base cannot be read.
    """
    check_installed()
    from wardround.agents.t5.trainer import Schedule
    from wardround.agents.t5.training_run import FineTuning, fine_tune, loss_curve

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
    valid = _published(options.valid) if options.valid else ()
    pairs = _published(options.tasks)
    losses = fine_tune(
        FineTuning(pairs, valid, options.base, tables, schedule, options.beams),
        ModelFolder(options.to),
        lambda step, loss: context.progress(step, options.steps, f"loss {loss:.3f}"),
    )
    last = losses[-1]
    validation = "" if last.valid is None else f", validation loss {last.valid:.3f}"
    note = f"{options.to}: {last.step} steps, loss {last.train:.3f}{validation}"
    return WorkResult(
        Summary({}, {"losses": loss_curve(losses)}), problems=(note,), plots=options.to
    )


def _tables(location: str) -> dict[str, list[str]]:
    with closing(open_database(location)) as database:
        return {
            table: [column.name for column in database.columns(table)]
            for table in database.tables()
        }


def _published(path: Path) -> Sequence[Pair]:
    source = plugins.load(plugins.PAIR_SOURCES, "published")
    pairs: TrainingPairs = source("", 0, str(path), 0)
    return pairs.pairs
