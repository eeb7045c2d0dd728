"""From questions with their SQL to a folder that the agent can be run on."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from threading import Lock
from typing import Any

from wardround.agents.pairs import Pair
from wardround.agents.t5.beam_search import Decoder
from wardround.agents.t5.folder import Trained
from wardround.agents.t5.language import NEW, Language
from wardround.agents.t5.texts import NULL, serialised, source_text
from wardround.agents.t5.trainer import Example, Loss, Schedule, Training
from wardround.core.errors import UserError
from wardround.core.task import digest


@dataclass(frozen=True, slots=True)
class Lesson:
    """What is learned, and by whom.

    Attributes:
        pairs: questions with their SQL; of those without an answer the model learns to write null.
        valid: others, on which the loss is measured and thresholds are found; may be empty.
        base: a model's name or folder, or new:LAYERSxWIDTH for one without a past.
        tables: the schema that stands after each question, columns by table; empty for none.
        schedule: how it learns.
        beams: how many beams are searched for the entropies.
    """

    pairs: Sequence[Pair]
    valid: Sequence[Pair]
    base: str
    tables: Mapping[str, Sequence[str]] = field(default_factory=dict)
    schedule: Schedule = field(default_factory=Schedule)
    beams: int = 5

    def settings(self) -> dict[str, Any]:
        """What must be the same for a training to go on; it may go on for longer."""
        same = {name: value for name, value in asdict(self.schedule).items() if name != "steps"}
        schema = serialised(self.tables)
        return {
            "base": self.base,
            "schema": schema,
            "pairs": digest([list(pair) for pair in self.pairs]),
            **same,
        }


def learn(
    lesson: Lesson, trained: Trained, told: Callable[[int, float], None] = lambda step, loss: None
) -> list[Loss]:
    """Trains into a folder, from its checkpoint on where there is one.

    Args:
        lesson: what is learned.
        trained: the folder.
        told: hears of each step and its loss.

    Returns:
        The loss curve.

    Raises:
        UserError: the base cannot be loaded, or the folder holds another training.
    """
    _check_same(lesson, trained)
    examples, valid = (_examples(pairs, lesson) for pairs in (lesson.pairs, lesson.valid))
    language = _language(lesson, examples)
    training = Training(language, examples, valid, lesson.schedule, trained.checkpoint)
    trained.write("settings.json", lesson.settings())
    training.run(
        told, lambda losses: trained.write("losses.json", [one._asdict() for one in losses])
    )
    language.save(trained.model)
    if lesson.valid:
        trained.write("entropies.json", {"entropies": _entropies(language, lesson)})
    return training.losses


def _plain(losses: Sequence[Loss]) -> list[dict[str, float | None]]:
    return [loss._asdict() for loss in losses]


def _check_same(lesson: Lesson, trained: Trained) -> None:
    before, now = trained.settings(), lesson.settings()
    changed = [name for name in now if before and before.get(name) != now[name]]
    if changed:
        raise UserError(
            f"{trained.folder} holds a training with another {', '.join(changed)}; go on with the "
            "same settings, or name a new folder."
        )


def _language(lesson: Lesson, examples: Sequence[Example]) -> Language:
    new = NEW.fullmatch(lesson.base)
    if new is None:
        return Language.open(lesson.base)
    texts = (text for example in examples for text in example)
    return Language.new(int(new[1]), int(new[2]), texts, lesson.schedule.seed)


def _examples(pairs: Sequence[Pair], lesson: Lesson) -> list[Example]:
    schema = serialised(lesson.tables)
    return [Example(source_text(pair.question, schema), pair.sql or NULL) for pair in pairs]


def _entropies(language: Language, lesson: Lesson) -> list[float]:
    schema, length = serialised(lesson.tables), lesson.schedule.length
    decoder = Decoder(language, schema, lesson.beams, length, Lock())
    return [decoded.entropy for decoded in decoder.decode([pair.question for pair in lesson.valid])]
