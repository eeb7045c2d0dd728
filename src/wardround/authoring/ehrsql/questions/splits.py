"""The number of questions of each template in a split, and their wordings (Lee et al. 2022, F)."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from wardround.authoring.ehrsql.templates import QuestionTemplate

Split = Literal["train", "valid", "test"]
SPLITS: tuple[Split, ...] = ("train", "valid", "test")

# Questions of a template in train, by how many slots it has at least.
_TRAIN = ((5, (50, 100)), (3, (40, 80)), (0, (30, 60)))
_HELD_OUT = (4, 5)
_WEIGHTS = {"high": 3, "medium": 2}
# The share of valid and test that the records cannot answer.
UNANSWERABLE = 0.33


@dataclass(frozen=True)
class Plan:
    """The questions and wordings that one split gets.

    Attributes:
        split: Which.
        templates: The templates that the database can answer.
        seed: The same for all splits of a set.
        size: The paper's numbers times this, but one question of a template at least.
        more: Wordings beside the packaged ones, by template.
    """

    split: Split
    templates: Sequence[QuestionTemplate]
    seed: int
    size: float
    more: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def counts(self) -> Mapping[QuestionTemplate, int]:
        """The number of questions of each answerable template."""
        chance = random.Random(f"{self.seed} {self.split}")
        counts = {t: _count(self.split, t, chance) for t in self.templates}
        return {template: max(1, round(count * self.size)) for template, count in counts.items()}

    def wordings(self, template: QuestionTemplate) -> Sequence[str]:
        """A template's wordings that are this split's alone."""
        return split_wordings(template, self.seed, self.more.get(template.id, ()))[self.split]


def split_wordings(
    template: QuestionTemplate, seed: int, more: Sequence[str] = ()
) -> Mapping[Split, Sequence[str]]:
    """A template's wordings shared out: a fifth each to valid and test, the rest to train.

    >>> from wardround.authoring.ehrsql.templates import question_template
    >>> shares = split_wordings(question_template("gender"), seed=1)
    >>> [len(shares[split]) for split in SPLITS]
    [9, 2, 2]
    """
    every = [*template.wordings, *more]
    random.Random(f"{seed} {template.id}").shuffle(every)
    held = max(1, len(every) // 5)
    return {"valid": every[:held], "test": every[held : 2 * held], "train": every[2 * held :]}


def unanswerable_counts(
    split: Split, answerable: int, templates: Sequence[QuestionTemplate]
) -> Mapping[QuestionTemplate, int]:
    """The number of each unanswerable template: a third of valid and of test, none of train."""
    wanted = 0 if split == "train" else round(answerable * UNANSWERABLE / (1 - UNANSWERABLE))
    each, over = divmod(wanted, len(templates))
    return {template: each + (place < over) for place, template in enumerate(templates)}


def _count(split: Split, template: QuestionTemplate, chance: random.Random) -> int:
    if split == "train":
        slots = len(template.slots) + len(template.times)
        return chance.randint(*next(range for least, range in _TRAIN if slots >= least))
    weight = _WEIGHTS.get(template.importance, 1) if split == "test" else 1
    return chance.randint(*_HELD_OUT) * weight
