"""Names of clinical scores and their parts in a text of either language."""

import re
from collections.abc import Iterator, Mapping
from functools import cache

from wardround.core.packaged_data import read_rows, split_cell
from wardround.ehr.terms.chinese import plain
from wardround.ehr.text.segments import blanked


def named_scores(text: str) -> frozenset[str]:
    """The scores that a text names, by their functions.

    >>> sorted(named_scores("qSOFA 2 and 终末期肝病模型 12"))
    ['meld', 'qsofa']
    """
    return frozenset(name for name, _, _ in _found(text, _scores()))


def score_ends(text: str, score: str) -> list[int]:
    """The places behind each name of a score in a text."""
    return [end for name, _, end in _found(text, _scores()) if name == score]


def score_places(text: str) -> list[tuple[int, int]]:
    """The places of names of scores in a text."""
    return [(start, end) for _, start, end in _found(text, _scores())]


def named_parts(text: str, score: str) -> frozenset[str]:
    """The parts of a score that a text names.

    >>> sorted(named_parts("age 71, BUN 30", "curb_65"))
    ['age', 'urea']
    """
    parts = _parts().get(score)
    if parts is None:
        return frozenset()
    shown = blanked(plain(text), score_places(text))
    return frozenset(name for name, _, _ in _found(shown, parts))


def part_places(text: str, score: str) -> list[tuple[int, int]]:
    """The places of names of a score's parts in a text."""
    parts = _parts().get(score)
    return [(start, end) for _, start, end in _found(text, parts)] if parts else []


def _found(text: str, names: Mapping[str, re.Pattern[str]]) -> Iterator[tuple[str, int, int]]:
    shown = plain(text)
    places = [(name, *m.span()) for name, each in names.items() for m in each.finditer(shown)]
    for name, start, end in places:
        # "SOFA" is part of "quick SOFA".
        if not any(s <= start and end <= e and e - s > end - start for _, s, e in places):
            yield name, start, end


@cache
def _scores() -> Mapping[str, re.Pattern[str]]:
    return {score: pattern for score, part, pattern in _rows() if not part}


@cache
def _parts() -> Mapping[str, Mapping[str, re.Pattern[str]]]:
    found: dict[str, dict[str, re.Pattern[str]]] = {}
    for score, part, pattern in _rows():
        if part:
            found.setdefault(score, {})[part] = pattern
    return found


@cache
def _rows() -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    return tuple(
        (score, part, _pattern((*split_cell(english), *split_cell(chinese))))
        for score, part, english, chinese in read_rows(__package__, "score_names.tsv")
    )


def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    """A pattern of names; Latin ones are whole words."""
    longest_first = sorted(map(plain, dict.fromkeys(names)), key=len, reverse=True)
    words = (
        rf"(?<![a-z]){re.escape(name)}(?![a-z])" if name.isascii() else re.escape(name)
        for name in longest_first
    )
    return re.compile("|".join(words))
