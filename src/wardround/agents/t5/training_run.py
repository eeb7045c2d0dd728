"""Fine-tunes a model on questions with their SQL, into a folder that the agent runs on."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from threading import Lock
from typing import Any

from wardround.agents.pairs import Pair
from wardround.agents.t5.decoder import Decoder
from wardround.agents.t5.model_folder import ModelFolder
from wardround.agents.t5.seq2seq_model import NEW, Seq2SeqModel
from wardround.agents.t5.texts import NULL, serialize_schema, source_text
from wardround.agents.t5.trainer import Example, Loss, Schedule, Trainer
from wardround.core.errors import UserError
from wardround.core.figures import Curve
from wardround.core.task import digest


@dataclass(frozen=True, slots=True)
class FineTuning:
    """Training data and settings.

    Attributes:
        pairs: Questions with their SQL; the model learns to write null where there is none.
        valid: Other pairs to measure the loss and find thresholds on; may be empty.
        base: A model's name or folder, or new:LAYERSxWIDTH for one with random weights.
        tables: The schema to append to each question, columns by table; empty for none.
        schedule: How long and how fast to train.
        beams: The beam width for the entropies of the validation questions.
    """

    pairs: Sequence[Pair]
    valid: Sequence[Pair]
    base: str
    tables: Mapping[str, Sequence[str]] = field(default_factory=dict)
    schedule: Schedule = field(default_factory=Schedule)
    beams: int = 5

    def settings(self) -> dict[str, Any]:
        """The settings that must stay the same to resume; only the number of steps may grow."""
        fixed = {name: value for name, value in asdict(self.schedule).items() if name != "steps"}
        return {
            "base": self.base,
            "schema": serialize_schema(self.tables),
            "pairs": digest([list(pair) for pair in self.pairs]),
            **fixed,
        }


def fine_tune(
    tuning: FineTuning,
    folder: ModelFolder,
    progress: Callable[[int, float], None] = lambda step, loss: None,
) -> list[Loss]:
    """Train into a folder, from its checkpoint if it has one.

    Args:
        tuning: Training data and settings.
        folder: The folder.
        progress: Called with each step and its loss.

    Returns:
        The loss curve.

    Raises:
        UserError: The base cannot be loaded, or the folder holds another training.
    """
    _check_settings(tuning, folder)
    examples, valid = (_examples(pairs, tuning) for pairs in (tuning.pairs, tuning.valid))
    model = _base_model(tuning, examples)
    trainer = Trainer(model, examples, valid, tuning.schedule, folder.checkpoint)
    folder.write("settings.json", tuning.settings())
    trainer.run(
        progress, lambda losses: folder.write("losses.json", [loss._asdict() for loss in losses])
    )
    model.save(folder.model)
    if tuning.valid:
        folder.write("entropies.json", {"entropies": _entropies(model, tuning)})
    return trainer.losses


def loss_curve(losses: Sequence[Loss]) -> Curve:
    """Training and validation loss by step."""
    valid = tuple((loss.step, loss.valid) for loss in losses if loss.valid is not None)
    lines = {"training": tuple((loss.step, loss.train) for loss in losses), "validation": valid}
    return Curve("Loss", "step", "loss", {name: line for name, line in lines.items() if line})


def _check_settings(tuning: FineTuning, folder: ModelFolder) -> None:
    before, now = folder.settings(), tuning.settings()
    changed = [name for name in now if before and before.get(name) != now[name]]
    if changed:
        raise UserError(
            f"{folder.path} holds a training with another {', '.join(changed)}; go on with the "
            "same settings, or name a new folder."
        )


def _base_model(tuning: FineTuning, examples: Sequence[Example]) -> Seq2SeqModel:
    new = NEW.fullmatch(tuning.base)
    if new is None:
        return Seq2SeqModel.open(tuning.base)
    texts = (text for example in examples for text in example)
    return Seq2SeqModel.new(int(new[1]), int(new[2]), texts, tuning.schedule.seed)


def _examples(pairs: Sequence[Pair], tuning: FineTuning) -> list[Example]:
    schema = serialize_schema(tuning.tables)
    return [Example(source_text(pair.question, schema), pair.sql or NULL) for pair in pairs]


def _entropies(model: Seq2SeqModel, tuning: FineTuning) -> list[float]:
    schema, length = serialize_schema(tuning.tables), tuning.schedule.length
    decoder = Decoder(model, schema, tuning.beams, length, Lock())
    return [decoded.entropy for decoded in decoder.decode([pair.question for pair in tuning.valid])]
