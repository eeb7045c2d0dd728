"""The questions and wordings of each split, by template (Lee et al. 2022, F)."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from wardround.authoring.ehrsql.templates import QuestionTemplate

Split = Literal["train", "valid", "test"]
SPLITS: tuple[Split, ...] = ("train", "valid", "test")

# (least number of slots, range of questions) of a template in train.
_TRAIN = ((5, (50, 100)), (3, (40, 80)), (0, (30, 60)))
_HELD_OUT = (4, 5)
_WEIGHTS = {"high": 3, "medium": 2}
# The share of unanswerable questions in valid and test.
UNANSWERABLE = 0.33


@dataclass(frozen=True)
class Plan:
    """The numbers of questions and the wordings of one split.

    Attributes:
        split: the split.
        templates: the templates that the database can answer.
        seed: the seed of the set, the same for all splits.
        size: a multiple of the paper's numbers; each template gets at least one question.
        more: wordings in addition to the packaged ones, by template id.
    """

    split: Split
    templates: Sequence[QuestionTemplate]
    seed: int
    size: float
    more: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def counts(self) -> Mapping[QuestionTemplate, int]:
        """Returns the number of questions of each answerable template."""
        chance = random.Random(f"{self.seed} {self.split}")
        counts = {t: _count(self.split, t, chance) for t in self.templates}
        return {template: max(1, round(count * self.size)) for template, count in counts.items()}

    def wordings(self, template: QuestionTemplate) -> Sequence[str]:
        """Returns a template's wordings that only this split uses."""
        return split_wordings(template, self.seed, self.more.get(template.id, ()))[self.split]


def split_wordings(
    template: QuestionTemplate, seed: int, more: Sequence[str] = ()
) -> Mapping[Split, Sequence[str]]:
    """Divides a template's wordings: a fifth each to valid and test, the rest to train.

    >>> from wardround.authoring.ehrsql.templates import question_template
    >>> shares = split_wordings(question_template("gender"), seed=1)
    >>> [len(shares[split]) for split in SPLITS]
    [9, 2, 2]
    """
    wordings = [*template.wordings, *more]
    random.Random(f"{seed} {template.id}").shuffle(wordings)
    held_out = max(1, len(wordings) // 5)
    return {
        "valid": wordings[:held_out],
        "test": wordings[held_out : 2 * held_out],
        "train": wordings[2 * held_out :],
    }


def unanswerable_counts(
    split: Split, answerable: int, templates: Sequence[QuestionTemplate]
) -> Mapping[QuestionTemplate, int]:
    """Returns questions per unanswerable template: a third of valid and test, none of train."""
    total = 0 if split == "train" else round(answerable * UNANSWERABLE / (1 - UNANSWERABLE))
    each, over = divmod(total, len(templates))
    return {template: each + (index < over) for index, template in enumerate(templates)}


def _count(split: Split, template: QuestionTemplate, chance: random.Random) -> int:
    if split == "train":
        slots = len(template.slots) + len(template.times)
        return chance.randint(*next(range for least, range in _TRAIN if slots >= least))
    weight = _WEIGHTS.get(template.importance, 1) if split == "test" else 1
    return chance.randint(*_HELD_OUT) * weight
