"""Puts what an answer says into the request, where it makes the request clearest."""

import re
from collections.abc import Iterator, Sequence

from wardround.agents.parser.interview.said import Said, says
from wardround.agents.parser.parser import Parsed, Parser

_LEAD = re.compile(
    r"^(?:I mean(?: those)?(?: where)?|by .{1,60}? I mean:?|that means|with .{1,60}? in mind:"
    r"|it is|those|please take|what I mean:)\s*",
    re.IGNORECASE,
)
# So many words beside those that were asked about may belong to them.
_BEYOND = 2


def reworded(said: Sequence[Said], parser: Parser) -> tuple[str, Parsed]:
    """The request with the answers in it, and what the parser makes of it.

    Each answer takes the place of those words of the request, or of none, with which the parser
    is surest of its query.

    Args:
        said: The request, and the answers.
        parser: Reads requests.
    """
    text = said[0].text
    best = parser.answer(text)
    for one in said[1:]:
        if says("refused", one.text):
            continue
        for other in _wordings(text, one):
            parsed = parser.answer(other)
            if _worth(parsed) > _worth(best):
                text, best = other, parsed
    return text, best


def _wordings(text: str, said: Said) -> Iterator[str]:
    """The text with an answer instead of some of the words that it is about, and their like."""
    answer = _LEAD.sub("", said.text).strip(" .")
    where = re.search(re.escape(said.about), text, re.IGNORECASE) if said.about else None
    if where is None:
        return
    words = list(re.finditer(r"\S*[^\s?.,!;:]", text))
    inside = [
        at
        for at, word in enumerate(words)
        if word.start() < where.end() and where.start() < word.end()
    ]
    for first in range(max(inside[0] - _BEYOND, 0), inside[-1] + 1):
        for last in range(max(first, inside[0]), min(inside[-1] + _BEYOND, len(words) - 1) + 1):
            yield f"{text[: words[first].start()]}{answer}{text[words[last].end() :]}"


def _worth(parsed: Parsed) -> float:
    return parsed.confidence
