"""Tables of words in English and Chinese, and the patterns of their rows."""

import re
from collections.abc import Mapping
from functools import cache

from wardround.core.packaged_data import read_rows, split_cell


@cache
def word_patterns(package: str, file: str) -> Mapping[str, re.Pattern[str]]:
    """The pattern of each row of a table, which matches its words in either language and any case.

    Longer words come first. An English word has no Latin letter on either side; one that ends in
    `*` stands for all words that begin so. Chinese words match anywhere.

    Args:
        package: the package that contains the table, as in `__package__`.
        file: a TSV file whose rows are a name, English words and Chinese words.

    >>> later = word_patterns("wardround.ehr.text", "times_ahead.tsv")["1"]
    >>> [match[0] for match in later.finditer("Recheck tomorrow, 明早复查")]
    ['tomorrow', '明早']
    """
    return {
        name: re.compile(_pattern(split_cell(english), split_cell(chinese)), re.IGNORECASE)
        for name, english, chinese in read_rows(package, file)
    }


def ends_in(pattern: re.Pattern[str], text: str) -> bool:
    """True if a text ends in words of a pattern.

    >>> ends_in(re.compile("from|由"), "fell from "), ends_in(re.compile("from|由"), "from 5")
    (True, False)
    """
    return any(not text[match.end() :].strip() for match in pattern.finditer(text))


def _pattern(english: tuple[str, ...], chinese: tuple[str, ...]) -> str:
    parts = [*map(_english, english), *map(re.escape, chinese)]
    return "|".join(sorted(parts, key=len, reverse=True))


def _english(word: str) -> str:
    stem = re.escape(word.removesuffix("*")).replace(r"\ ", r"\s+")
    return rf"(?<![A-Za-z]){stem}" + ("[A-Za-z]*" if word.endswith("*") else "(?![A-Za-z])")
