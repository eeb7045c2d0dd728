"""`wardround train t5`: fine-tunes a sequence-to-sequence model; stopped, it goes on."""

from pathlib import Path
from typing import Annotated

import typer

BASE = "google-t5/t5-base"


def train_t5(
    tasks: Annotated[Path, typer.Option(help="Questions with their SQL, as EHRSQL has them.")],
    to: Annotated[Path, typer.Option(help="The folder to train into, or to go on with.")],
    valid: Annotated[
        Path | None,
        typer.Option(help="Other questions, for the validation loss and the thresholds."),
    ] = None,
    base: Annotated[
        str, typer.Option(help="A model by name or folder, or new:LAYERSxWIDTH.")
    ] = BASE,
    database: Annotated[
        str | None, typer.Option(help="The database whose schema stands after each question.")
    ] = None,
    steps: Annotated[int, typer.Option(min=1, help="Batches in all.")] = 100_000,
    batch: Annotated[int, typer.Option(min=1, help="Questions in a batch.")] = 32,
    length: Annotated[int, typer.Option(min=8, help="Pieces of a text that are kept.")] = 512,
    rate: Annotated[float, typer.Option(help="The learning rate.")] = 0.001,
    decay: Annotated[float, typer.Option(min=0, help="The weight decay.")] = 1.0,
    clip: Annotated[float, typer.Option(help="The greatest norm of a gradient.")] = 1.0,
    every: Annotated[int, typer.Option(min=1, help="Steps between two checkpoints.")] = 500,
    seed: Annotated[int, typer.Option(help="What order and dropout are drawn from.")] = 0,
    beams: Annotated[
        int, typer.Option(min=1, help="Beams that are searched for the thresholds.")
    ] = 5,
) -> None:
    """Fine-tune T5 or another sequence-to-sequence model, as EHRSQL's baseline."""
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TextColumn

    from wardround.agents.t5.model_folder import ModelFolder, check_installed
    from wardround.benchmarks.ehrsql.pairs import load_pairs
    from wardround.core.benchmark import Summary
    from wardround.report.svg import save_plots

    check_installed()
    from wardround.agents.t5.fine_tuning import FineTuning, fine_tune, loss_curve
    from wardround.agents.t5.trainer import Schedule

    schedule = Schedule(steps, batch, length, rate, decay, clip, every, seed)
    tables = _tables(database) if database else {}
    valid_pairs = load_pairs(valid) if valid else ()
    tuning = FineTuning(load_pairs(tasks), valid_pairs, base, tables, schedule, beams)
    console = Console(stderr=True)
    shown = (
        *Progress.get_default_columns(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[loss]}"),
    )
    with Progress(*shown, console=console, disable=not console.is_terminal) as progress:
        bar = progress.add_task("steps", total=steps, loss="")
        losses = fine_tune(
            tuning,
            ModelFolder(to),
            lambda step, loss: progress.update(bar, completed=step, loss=f"{loss:.3f}"),
        )
    save_plots(Summary({}, {"losses": loss_curve(losses)}), to)
    last = losses[-1]
    beside = "" if last.valid is None else f", validation loss {last.valid:.3f}"
    typer.echo(f"{to}: {last.step} steps, loss {last.train:.3f}{beside}", err=True)


def _tables(location: str) -> dict[str, list[str]]:
    from contextlib import closing

    from wardround.ehr.database import open_database

    with closing(open_database(location)) as database:
        return {
            table: [column.name for column in database.columns(table)]
            for table in database.tables()
        }
