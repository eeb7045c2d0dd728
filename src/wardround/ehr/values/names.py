"""Aliases of a query: clinical abbreviations and everyday names from names.tsv."""

import re
from functools import cache
from importlib.resources import files

from wardround.ehr.values.lexical import comparable

_LIMIT = 4


def other_names(query: str) -> list[str]:
    """The query with an abbreviation or everyday name replaced by its synonyms.

    >>> other_names("WBC count")
    ['white blood cells count', 'leukocytes count']
    >>> other_names("xyz")
    []
    """
    text = comparable(query)
    variants = [
        re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", synonym, text)
        for name, synonyms in _synonyms().items()
        if name in text and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)
        for synonym in synonyms
        if synonym not in text
    ]
    return list(dict.fromkeys(variants))[:_LIMIT]


@cache
def _synonyms() -> dict[str, tuple[str, ...]]:
    """Synonyms by name, longest name first."""
    text = files("wardround.ehr.values").joinpath("names.tsv").read_text(encoding="utf-8")
    groups = [line.split("\t") for line in text.splitlines() if line and line[0] != "#"]
    pairs: dict[str, tuple[str, ...]] = {}
    for group in groups:
        for name in group:
            synonyms = tuple(synonym for synonym in group if synonym != name)
            pairs[name] = pairs.get(name, ()) + synonyms
    return dict(sorted(pairs.items(), key=lambda pair: (-len(pair[0]), pair[0])))
