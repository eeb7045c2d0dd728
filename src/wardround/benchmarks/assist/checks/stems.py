"""Words of a text without their endings, for words that no vocabulary holds."""

import re
from collections.abc import Sequence

from wardround.ehr.terms.chinese import plain

_LATIN = re.compile(r"[a-z][a-z'-]*[a-z]")
_HAN = re.compile(r"[\u4e00-\u9fff]+")
_ENDINGS = (
    "ations", "ation", "ating", "ated", "ates", "ate", "eys", "ey", "ments", "ment", "ively", "ities", "ings", "ness", "ical", "ally", "ions",
    "ing", "ion", "ity", "ies", "ied", "ed", "es", "ic", "al", "ly", "or", "er", "ance", "ence",
    "ive", "s", "e", "y",
)  # fmt: skip
_SHORTEST = 4


def stem(word: str) -> str:
    """A word without its ending.

    >>> stem("titration"), stem("titrated"), stem("kidneys")
    ('titr', 'titr', 'kidn')
    """
    root = word.removesuffix("'s")
    for _ in range(2):
        for ending in _ENDINGS:
            if root.endswith(ending) and len(root) - len(ending) >= _SHORTEST:
                root = root[: -len(ending)]
                break
    return root


def content(text: str, covered: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    """The words of a text outside the covered places; Chinese ones as runs of characters.

    >>> content("Reports daily swelling", [(0, 7)])
    ('daily', 'swelling')
    """
    left = list(plain(text))
    for start, end in covered:
        left[start:end] = "¦" * (end - start)
    rest = "".join(left)
    runs = [run for run in _HAN.findall(rest) if len(run) > 1]
    return tuple(dict.fromkeys([*_LATIN.findall(rest), *runs]))


def contains(text: str, word: str) -> bool:
    """True if a text has a word in some form; a Chinese one by pairs of its characters.

    >>> contains("恶心、呕吐三天", "恶心呕吐"), contains("He was swollen.", "rash")
    (True, False)
    """
    lower = plain(text)
    if word.isascii():
        return stem(word) in {stem(each) for each in _LATIN.findall(lower)}
    if len(word) < 2:
        return word in lower
    shared = {n + k for n in range(len(word) - 1) if word[n : n + 2] in lower for k in (0, 1)}
    return len(shared) == len(word)
