"""Finds the values, times and numbers of a question, whatever its kind."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from wardround.agents.parser.names.value_index import Mention, ValueIndex
from wardround.agents.parser.tokens import Word, number, words
from wardround.ehr.times import TimeFilter, find_times
from wardround.ehr.times.model import SameVisit, Visit


class Number(NamedTuple):
    """A number of a question that is not part of a value or a time."""

    at: int
    value: float


class Time(NamedTuple):
    """A time of a question, with the range of its words."""

    first: int
    last: int
    filter: TimeFilter


@dataclass(frozen=True)
class Reading:
    """A question with its values, times and numbers.

    Attributes:
        masked: The words, with one mask in place of each value, time and number.
    """

    question: str
    words: tuple[Word, ...]
    mentions: tuple[Mention, ...]
    times: tuple[Time, ...]
    numbers: tuple[Number, ...]
    masked: tuple[str, ...]

    def name_of(self, mention: Mention) -> str:
        """The words of a mention."""
        return " ".join(word.text for word in self.words[mention.first : mention.last])

    def written(self, first: int, last: int) -> str:
        """The part of the question with the words from `first` up to but not including `last`."""
        return self.question[self.words[first].start : self.words[last - 1].end]

    def mentions_any(self, names: Collection[str]) -> bool:
        """True if any of the names is mentioned."""
        return any(self.name_of(mention) in names for mention in self.mentions)


def time_role(filter: TimeFilter) -> str:
    """The role of a time: "visit", "global", "within", "within-visit" or "exact"."""
    meaning = filter.template.meaning
    if isinstance(meaning, Visit):
        return "visit"
    if isinstance(meaning, SameVisit):
        return "within-visit"
    return filter.template.role


def read(question: str, index: ValueIndex) -> Reading:
    """Read a question with the names that the index has."""
    tokens = words(question)
    return with_mentions(question, tokens, index.find(tokens))


def with_mentions(question: str, tokens: Sequence[Word], mentions: Sequence[Mention]) -> Reading:
    """Read the times and numbers of a question around mentions that were found before."""
    times = tuple(_times(_blanked(question, tokens, mentions), tokens))
    used = {at for mention in mentions for at in range(mention.first, mention.last)}
    mentions = [m for m in mentions if not any(_overlap(m, time) for time in times)]
    used |= {at for time in times for at in range(time.first, time.last)}
    numbers = tuple(
        Number(at, value)
        for at, word in enumerate(tokens)
        if at not in used and (value := number(word.text)) is not None
    )
    masked = tuple(_masked(tokens, mentions, times, numbers))
    return Reading(question, tuple(tokens), tuple(mentions), times, numbers, masked)


def _blanked(question: str, tokens: Sequence[Word], mentions: Sequence[Mention]) -> str:
    """The question with mentions overwritten: "first degree" in a name is not a time."""
    for mention in mentions:
        start, end = tokens[mention.first].start, tokens[mention.last - 1].end
        question = question[:start] + "x" * (end - start) + question[end:]
    return question


def _times(text: str, tokens: Sequence[Word]) -> Iterator[Time]:
    for time in find_times(text):
        inside = [
            at for at, word in enumerate(tokens) if word.start < time.end and time.start < word.end
        ]
        if inside:
            yield Time(inside[0], inside[-1] + 1, time.filter)


def _overlap(mention: Mention, time: Time) -> bool:
    return mention.first < time.last and time.first < mention.last


def _masked(
    tokens: Sequence[Word],
    mentions: Sequence[Mention],
    times: Sequence[Time],
    numbers: Sequence[Number],
) -> Iterator[str]:
    masks = {m.first: (m.last, f"<{'|'.join(sorted(d.name for d in m.values))}>") for m in mentions}
    masks |= {time.first: (time.last, f"<{time_role(time.filter)}>") for time in times}
    masks |= {number.at: (number.at + 1, "<number>") for number in numbers}
    at = 0
    while at < len(tokens):
        at, word = masks.get(at, (at + 1, tokens[at].text))
        yield word
