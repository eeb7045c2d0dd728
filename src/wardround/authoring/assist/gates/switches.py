"""Switches of drugs in English and Chinese: the drug that is left and the one that replaces it."""

import re

from wardround.ehr.text.mentions import Mention, mentions

_OLD, _NEW = r"@(?P<old>\d+)@", r"@(?P<new>\d+)@"
_TO_ZH = "(?:换|改|替换|更换|切换|转换)(?:成|为|用)?"
_FOR_ZH = "(?:替代|代替|取代|替换|换掉|换)"
_PATTERNS = tuple(
    re.compile(pattern.replace("OLD", _OLD).replace("NEW", _NEW))
    for pattern in (
        r"from OLD (?:on)?to NEW",
        r"(?:switch|chang|convert)\w* OLD (?:in)?to NEW",
        r"replac\w* OLD (?:by|with) NEW",
        r"OLD (?:is|was|be|being|been) (?:replaced|switched|changed) (?:by|with|to) NEW",
        r"NEW (?:replac\w+|instead of|in place of|rather than|takes? the place of) OLD",
        rf"[以用]NEW{_FOR_ZH}OLD",
        r"NEW(?:替代|代替|取代)OLD",
        rf"OLD(?:已|应|可|需)?{_TO_ZH}NEW",
        r"停用?OLD[，、]?(?:并)?(?:改用|换用)NEW",
    )
)  # fmt: skip


def switches(text: str) -> frozenset[tuple[str, str]]:
    """The switches of a text as pairs: the drug that is left, and the one that replaces it.

    >>> sorted(switches("Should apixaban replace dabigatran?"))
    [('dabigatran', 'apixaban')]
    >>> sorted(switches("阿哌沙班换达比加群？"))
    [('apixaban', 'dabigatran')]
    """
    drugs = mentions(text, "drug")
    numbered, pairs = _numbered(text, drugs), set()
    for pattern in _PATTERNS:
        for match in pattern.finditer(numbered):
            pairs.add((drugs[int(match["old"])].name, drugs[int(match["new"])].name))
        numbered = pattern.sub(" ", numbered)
    return frozenset(pairs)


def _numbered(text: str, drugs: tuple[Mention, ...]) -> str:
    """A text with each drug as its number."""
    for number, drug in reversed(list(enumerate(drugs))):
        text = f"{text[: drug.start]}@{number}@{text[drug.end :]}"
    return text.casefold()
