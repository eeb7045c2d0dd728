"""What a question says before its kind is known: values, times, numbers and other words."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from wardround.agents.parser.tokens import Word, number, words
from wardround.agents.parser.value_linker import Mention, ValueIndex
from wardround.ehr.times import TimeFilter, find_times
from wardround.ehr.times.model import SameVisit, Visit


class Number(NamedTuple):
    """A number of a question that is no part of a value or a time."""

    at: int
    value: float


class Time(NamedTuple):
    """A time of a question, with the words that say it."""

    first: int
    last: int
    filter: TimeFilter


@dataclass(frozen=True)
class Reading:
    """A question with its values, times and numbers found.

    Attributes:
        words: Its words.
        masked: The words, with one word for each value, time and number in its place.
    """

    question: str
    words: tuple[Word, ...]
    mentions: tuple[Mention, ...]
    times: tuple[Time, ...]
    numbers: tuple[Number, ...]
    masked: tuple[str, ...]

    def says(self, mention: Mention) -> str:
        """The words that name a value."""
        return " ".join(word.text for word in self.words[mention.first : mention.last])

    def says_any(self, texts: Collection[str]) -> bool:
        """Whether a value is named by any of the texts."""
        return any(self.says(mention) in texts for mention in self.mentions)


def role(filter: TimeFilter) -> str:
    """Which part a time plays: "visit", "global", "within", "within-visit" or "exact"."""
    meaning = filter.template.meaning
    if isinstance(meaning, Visit):
        return "visit"
    if isinstance(meaning, SameVisit):
        return "within-visit"
    return filter.template.role


def read(question: str, index: ValueIndex) -> Reading:
    """The question with what is known in it."""
    said = words(question)
    return laid_out(question, said, index.find(said))


def laid_out(question: str, said: Sequence[Word], mentions: Sequence[Mention]) -> Reading:
    """The question with its times and numbers beside the values that it names."""
    times = tuple(_times(_without(question, said, mentions), said))
    inside = {at for mention in mentions for at in range(mention.first, mention.last)}
    mentions = [m for m in mentions if not any(_overlap(m, time) for time in times)]
    inside |= {at for time in times for at in range(time.first, time.last)}
    numbers = tuple(
        Number(at, value)
        for at, word in enumerate(said)
        if at not in inside and (value := number(word.text)) is not None
    )
    masked = tuple(_masked(said, mentions, times, numbers))
    return Reading(question, tuple(said), tuple(mentions), times, numbers, masked)


def _without(question: str, said: Sequence[Word], mentions: Sequence[Mention]) -> str:
    """The question with other letters where values are: "first degree" in a name is no time."""
    for mention in mentions:
        start, end = said[mention.first].start, said[mention.last - 1].end
        question = question[:start] + "x" * (end - start) + question[end:]
    return question


def _times(text: str, said: Sequence[Word]) -> Iterator[Time]:
    for found in find_times(text):
        inside = [
            at for at, word in enumerate(said) if word.start < found.end and found.start < word.end
        ]
        if inside:
            yield Time(inside[0], inside[-1] + 1, found.filter)


def _overlap(mention: Mention, time: Time) -> bool:
    return mention.first < time.last and time.first < mention.last


def _masked(
    said: Sequence[Word],
    mentions: Sequence[Mention],
    times: Sequence[Time],
    numbers: Sequence[Number],
) -> Iterator[str]:
    masks = {m.first: (m.last, f"<{'|'.join(sorted(d.name for d in m.values))}>") for m in mentions}
    masks |= {time.first: (time.last, f"<{role(time.filter)}>") for time in times}
    masks |= {number.at: (number.at + 1, "<number>") for number in numbers}
    at = 0
    while at < len(said):
        at, word = masks.get(at, (at + 1, said[at].text))
        yield word
