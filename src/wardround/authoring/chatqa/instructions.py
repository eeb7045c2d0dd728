"""Writes the instruction of a simulated user: a person's wishes, one sentence each.

The last sentence may name what the user does not suggest before the agent (EHR-ChatQA, A.3.2):
what the agent has to find for the request after a turn, such as a generic or a class of drugs.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from string import Formatter
from typing import Any, Literal, TypeAlias

from wardround.authoring.chatqa.increments import Increment
from wardround.authoring.chatqa.turns.turn import Turn
from wardround.benchmarks.chatqa.tasks import PublishedTask
from wardround.core.packaged_data import read_toml
from wardround.ehr.text import segments
from wardround.people.instruction_parser import read_instruction
from wardround.people.patterns import content_words

Part: TypeAlias = Literal["goal", "condition", "turn", "form", "withheld"]

_MOST_WITHHELD = 2  # names that a person keeps in mind


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an instruction.

    Attributes:
        part: what it says: what is asked for, a condition of it, what is wanted after a report,
            the form of the answer, or names that are not to be suggested.
        text: the sentence.
        values: the names, numbers and words in it that the records decide.
    """

    part: Part
    text: str
    values: tuple[str, ...] = ()


def increment_sentences(draft: Increment, random: Random) -> tuple[Sentence, ...]:
    """The instruction of a question whose conditions are told one by one."""
    asked = _frame_sentences(draft.asked.frame, draft.asked.slots, "goal", random)
    conditions = (
        _frame_sentences(wish.frame, wish.slots, "condition", random) for wish in draft.wishes
    )
    return tuple(sentence for group in (asked, *conditions) for sentence in group)


def turn_sentences(turn: Turn, random: Random) -> tuple[Sentence, ...]:
    """The instruction of a request without matches, and of its fallback."""
    asked = _frame_sentences(turn.frame, turn.slots, "goal", random)
    return (*asked, *_frame_sentences(f"form.{turn.form}", {}, "form", random))


def withheld_sentences(names: Sequence[str], random: Random) -> tuple[Sentence, ...]:
    """The sentence on names that the user does not suggest before the agent; none without names."""
    if not names:
        return ()
    quoted = " or ".join(f'"{name}"' for name in names)
    return _frame_sentences("withheld.names", {"names": quoted}, "withheld", random)


def instruction(sentences: Iterable[Sentence]) -> str:
    """The text of an instruction."""
    return " ".join(sentence.text for sentence in sentences)


def _frame_sentences(
    frame: str, slots: Mapping[str, str], part: Part, random: Random
) -> tuple[Sentence, ...]:
    """The sentences of one wording of a frame; sentences with "If" belong to the turn."""
    chosen = random.choice(wordings()[frame])
    return tuple(
        Sentence(
            "turn" if way.startswith("If ") else part, way.format(**slots), _values(way, slots)
        )
        for way in segments.texts(chosen, segments.sentences(chosen, "en"))
    )


def _values(way: str, slots: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(slots[name] for _, name, _, _ in Formatter().parse(way) if name)


@cache
def wordings() -> Mapping[str, tuple[str, ...]]:
    """The ways to say each frame, by its name: "goal.drug.one"."""
    return dict(_frames(read_toml(__package__, "wordings.toml"), ""))


def _frames(table: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name, entry in table.items():
        if isinstance(entry, list):
            yield prefix + name, tuple(entry)
        else:
            yield from _frames(entry, f"{prefix}{name}.")


def names_to_withhold(
    turn: Turn, sentences: Sequence[Sentence], share: float, random: Random
) -> tuple[str, ...]:
    """The names that the user of a turn withholds; empty for most turns if the share is small.

    A name is left out if another sentence has a word of it, which could then not be said.
    """
    words = content_words(instruction(sentences))
    names = tuple(name for name in turn.withheld if not content_words(name) & words)
    return names if 0 < len(names) <= _MOST_WITHHELD and random.random() < share else ()


def fault_of_withheld(task: PublishedTask) -> str:
    """The reason to drop a task whose user would say a withheld name, or keep back more than it."""
    if not task.withheld:
        return ""
    kept_back = read_instruction(task.instruction).withheld
    if kept_back != content_words(" ".join(task.withheld)):
        return "names that the user would not withhold"
    values = " ".join(str(row[0]).lower() for row in task.gold_answer)
    is_answer = any(name.lower() in values for name in task.withheld)
    return "withheld names that are the answer" if is_answer else ""
