"""Fine-tunes T5, as `wardround train` asks for it."""

from wardround.agents.declarations import T5Training
from wardround.agents.t5.folder import check_installed
from wardround.core.work import WorkContext, WorkResult


def train(options: T5Training, context: WorkContext) -> WorkResult:
    """Trains into a folder.

    Raises:
        UserError: the extra is not installed, or a file, the database or the base cannot be read.
    """
    check_installed()
    from wardround.agents.t5.fine_tuning import FineTuning, fine_tune
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
    wanted = FineTuning(
        options.tasks, options.valid, options.base, options.database, schedule, options.beams
    )
    losses = fine_tune(
        wanted,
        options.to,
        lambda step, loss: context.progress(step, options.steps, f"loss {loss:.3f}"),
    )
    last = losses[-1]
    beside = "" if last.valid is None else f", validation loss {last.valid:.3f}"
    return WorkResult(problems=(f"{options.to}: {last.step} steps, loss {last.train:.3f}{beside}",))
