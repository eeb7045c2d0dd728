"""Other ways to write a query: clinical abbreviations and everyday names, from names.tsv."""

import re
from functools import cache
from importlib.resources import files

from wardround.ehr.values.normal_form import comparable

_MOST = 4


def other_names(query: str) -> list[str]:
    """The query with an abbreviation or everyday name replaced by another name for the same.

    >>> other_names("WBC count")
    ['white blood cells count', 'leukocytes count']
    >>> other_names("xyz")
    []
    """
    text = comparable(query)
    found = [
        re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", other, text)
        for name, others in _names().items()
        if name in text and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)
        for other in others
        if other not in text
    ]
    return list(dict.fromkeys(found))[:_MOST]


@cache
def _names() -> dict[str, tuple[str, ...]]:
    """Each name with the others of its line, longest name first so that it is tried first."""
    text = files("wardround.ehr.values").joinpath("names.tsv").read_text(encoding="utf-8")
    groups = [line.split("\t") for line in text.splitlines() if line and line[0] != "#"]
    pairs: dict[str, tuple[str, ...]] = {}
    for group in groups:
        for name in group:
            others = tuple(other for other in group if other != name)
            pairs[name] = pairs.get(name, ()) + others
    return dict(sorted(pairs.items(), key=lambda pair: (-len(pair[0]), pair[0])))
