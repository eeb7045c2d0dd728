"""The number of questions of each template in a split, and their wordings (Lee et al. 2022, F)."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from wardround.authoring.ehrsql.questions.paraphrases import wordings
from wardround.authoring.ehrsql.templates import QuestionTemplate, UnanswerableTemplate

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
        counts: The number of questions of each answerable template.
        wordings: The wordings that are this split's alone, by template.
    """

    split: Split
    counts: Mapping[QuestionTemplate, int]
    wordings: Mapping[str, Sequence[str]]


def plan(
    split: Split,
    templates: Sequence[QuestionTemplate],
    ids: Sequence[str],
    seed: int,
    size: float,
    more: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> Plan:
    """Plans a split.

    Args:
        split: Which.
        templates: Those that the database can answer.
        ids: All templates that are asked, unanswerable ones too.
        seed: The same for all splits of a set.
        size: The paper's numbers times this, but one question of a template at least.
        more: Wordings beside the packaged ones, by template.
    """
    chance = random.Random(f"{seed} {split}")
    counts = {t: max(1, round(_count(split, t, chance) * size)) for t in templates}
    return Plan(
        split, counts, {id: split_wordings(id, seed, more.get(id, ()))[split] for id in ids}
    )


def split_wordings(id: str, seed: int, more: Sequence[str] = ()) -> Mapping[Split, Sequence[str]]:
    """A template's wordings shared out: a fifth each to valid and test, the rest to train.

    >>> shares = split_wordings("gender", seed=1)
    >>> [len(shares[split]) for split in SPLITS]
    [9, 2, 2]
    """
    every = [*wordings(id), *more]
    random.Random(f"{seed} {id}").shuffle(every)
    held = max(1, len(every) // 5)
    return {"valid": every[:held], "test": every[held : 2 * held], "train": every[2 * held :]}


def unanswerable_counts(
    answerable: int, kinds: Sequence[UnanswerableTemplate]
) -> Mapping[UnanswerableTemplate, int]:
    """The number of each kind that together make up a third of a split."""
    each, over = divmod(round(answerable * UNANSWERABLE / (1 - UNANSWERABLE)), len(kinds))
    return {kind: each + (place < over) for place, kind in enumerate(kinds)}


def _count(split: Split, template: QuestionTemplate, chance: random.Random) -> int:
    if split == "train":
        slots = len(template.slots) + len(template.times)
        return chance.randint(*next(range for least, range in _TRAIN if slots >= least))
    weight = _WEIGHTS.get(template.importance, 1) if split == "test" else 1
    return chance.randint(*_HELD_OUT) * weight
