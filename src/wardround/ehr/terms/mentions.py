"""Finding drug names in a sentence."""

import re
from dataclasses import dataclass
from functools import cache

from wardround.core.packaged_data import read_lines
from wardround.ehr.terms.names import key
from wardround.ehr.terms.vocabulary import LONGEST, vocabulary

_TOKEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9'.%]*(?:-[A-Za-z0-9'.%]+)*")


@dataclass(frozen=True)
class Mention:
    """A drug name in a text: `text[start:end]`, and what is in the drug."""

    text: str
    start: int
    end: int
    generics: tuple[str, ...]


def find_drugs(text: str) -> list[Mention]:
    """Find the drug names in a sentence, longest first match from the left.

    Everyday words that are also brands are passed over, and names of up to three letters count
    only in capitals.

    >>> [mention.text for mention in find_drugs("Was he given Toprol XL, NTG or iron?")]
    ['Toprol XL', 'NTG']
    """
    tokens = [_trimmed(match) for match in _TOKEN.finditer(text)]
    mentions: list[Mention] = []
    at = 0
    while at < len(tokens):
        mention, used = _mention(text, tokens[at : at + LONGEST])
        mentions += [mention] if mention else []
        at += used
    return mentions


def _trimmed(match: re.Match[str]) -> tuple[int, int]:
    word = re.sub(r"('s|[.'])+$", "", match.group())
    return match.start(), match.start() + len(word)


def _mention(text: str, tokens: list[tuple[int, int]]) -> tuple[Mention | None, int]:
    """The longest drug name that begins at the first token, and how many tokens it took."""
    start = tokens[0][0]
    for used in range(len(tokens), 0, -1):
        span = text[start : tokens[used - 1][1]]
        found = vocabulary().generics.get(key(span), ())
        if found and _stands_for_drug(span):
            return Mention(span, start, start + len(span), found), used
    return None, 1


def _stands_for_drug(span: str) -> bool:
    return key(span) not in _everyday() and (len(span) > 3 or sum(map(str.isupper, span)) > 1)


@cache
def _everyday() -> frozenset[str]:
    return frozenset(read_lines(__package__, "everyday.txt"))
