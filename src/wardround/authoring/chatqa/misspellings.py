"""Misspellings of a name: one slip in one of its longer words, never in the first letter."""

import re
from collections.abc import Iterator
from functools import cache

from wardround.core.packaged_data import read_rows

_WORD = re.compile(r"(?<![\w-])[a-z]{6,}(?![\w-])")


def misspellings(name: str) -> tuple[str, ...]:
    """Plausible misspellings of a name in lower case.

    >>> misspellings("gout"), "amoxicilin" in misspellings("amoxicillin")
    ((), True)
    """
    written = (
        name[: word.start()] + slip + name[word.end() :]
        for word in _WORD.finditer(name)
        for slip in _slips(word[0])
    )
    return tuple(dict.fromkeys(each for each in written if each != name))


def _slips(word: str) -> Iterator[str]:
    for pattern, written in _rules():
        for at in range(1, len(word)):
            if match := pattern.match(word, at):
                yield word[:at] + match.expand(written) + word[match.end() :]


@cache
def _rules() -> tuple[tuple[re.Pattern[str], str], ...]:
    rows = read_rows(__package__, "misspellings.tsv")
    return tuple((re.compile(pattern), written) for pattern, written in rows)
