"""Fine-tunes T5 on files: reads questions and schema, and trains."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from wardround.agents.t5.folder import Trained
from wardround.agents.t5.pipeline import Lesson, learn
from wardround.agents.t5.trainer import Loss, Schedule
from wardround.benchmarks.ehrsql.pairs import load_pairs
from wardround.core.figures import Curve
from wardround.ehr.database import open_database


@dataclass(frozen=True, slots=True)
class FineTuning:
    """What is trained on what; paths of EHRSQL files, a model's name, a database's place."""

    tasks: Path
    valid: Path | None
    base: str
    database: str | None
    schedule: Schedule
    beams: int


def fine_tune(
    wanted: FineTuning, to: Path, told: Callable[[int, float], None] = lambda step, loss: None
) -> list[Loss]:
    """Trains into a folder, and leaves `losses.json` there.

    Raises:
        UserError: a file, the database or the base cannot be read, or the folder holds another
            training.
    """
    lesson = Lesson(
        load_pairs(wanted.tasks),
        load_pairs(wanted.valid) if wanted.valid else (),
        wanted.base,
        _tables(wanted.database) if wanted.database else {},
        wanted.schedule,
        wanted.beams,
    )
    return learn(lesson, Trained(to), told)


def loss_curve(losses: Sequence[Loss]) -> Curve:
    """Training and validation loss by step; the latter only where it was measured."""
    valid = tuple((loss.step, loss.valid) for loss in losses if loss.valid is not None)
    lines = {"training": tuple((loss.step, loss.train) for loss in losses), "validation": valid}
    return Curve("Loss", "step", "loss", {name: line for name, line in lines.items() if line})


def _tables(place: str) -> Mapping[str, Sequence[str]]:
    database = open_database(place)
    try:
        return {
            table: [column.name for column in database.columns(table)]
            for table in database.tables()
        }
    finally:
        database.close()
