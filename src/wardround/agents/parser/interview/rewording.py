"""Puts what an answer says into the request, where it makes the request clearest."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from wardround.agents.parser.interview.phrases import says
from wardround.agents.parser.parser import Parsed, Parser

_LEAD = re.compile(
    r"^(?:I mean(?: those)?(?: where)?|by .{1,60}? I mean:?|that means|with .{1,60}? in mind:"
    r"|it is|those|please take|what I mean:)\s*",
    re.IGNORECASE,
)
# An answer stands for so many words of the request at most.
_LONGEST = 6


class Answer(NamedTuple):
    """What the user said when asked about some words of the request."""

    about: str
    text: str


def reworded(request: str, answers: Sequence[Answer], parser: Parser) -> Parsed:
    """What the parser makes of a request with the answers in it.

    Each answer takes the place of those words of the request, or of none, with which the parser
    is surest of its query.
    """
    text, best = request, parser.answer(request)
    for answer in answers:
        if says("refused", answer.text):
            continue
        for other in _wordings(text, answer):
            parsed = parser.answer(other)
            if parsed.confidence > best.confidence:
                text, best = other, parsed
    return best


def _wordings(text: str, answer: Answer) -> Iterator[str]:
    """The text with an answer instead of some of the words that it is about, and their like."""
    said = _LEAD.sub("", answer.text).strip(" .")
    where = re.search(re.escape(answer.about), text, re.IGNORECASE)
    if where is None:
        return
    words = list(re.finditer(r"\S*[^\s?.,!;:]", text))
    inside = [at for at, word in enumerate(words) if _overlap(word, where)]
    first, last = max(inside[0] - 1, 0), min(inside[-1] + 1, len(words) - 1)
    for start in range(first, last + 1):
        for end in range(start, min(start + _LONGEST, last + 1)):
            yield f"{text[: words[start].start()]}{said}{text[words[end].end() :]}"


def _overlap(one: re.Match[str], other: re.Match[str]) -> bool:
    return one.start() < other.end() and other.start() < one.end()
