"""Detection of drug names in text."""

import re
from dataclasses import dataclass
from functools import cache

from wardround.core.packaged_data import read_lines
from wardround.ehr.terms.names import key
from wardround.ehr.terms.vocabulary import LONGEST, vocabulary

_TOKEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9'.%]*(?:-[A-Za-z0-9'.%]+)*")


@dataclass(frozen=True)
class Mention:
    """A drug name at `text[start:end]`, with its ingredients."""

    text: str
    start: int
    end: int
    generics: tuple[str, ...]


def find_drugs(text: str) -> list[Mention]:
    """Find the drug names in a sentence, leftmost longest match first.

    Skips everyday words that are also brands; names of up to three letters must be in capitals.
    Drugs that hyphens join are one mixture.

    >>> [mention.text for mention in find_drugs("Was he given Toprol XL, NTG or iron?")]
    ['Toprol XL', 'NTG']
    >>> [mention.generics for mention in find_drugs("Piperacillin-tazobactam was stopped.")]
    [('piperacillin', 'tazobactam')]
    """
    tokens = [_trimmed(match) for match in _TOKEN.finditer(text)]
    mentions: list[Mention] = []
    position = 0
    while position < len(tokens):
        mention, length = _mention(text, tokens[position : position + LONGEST])
        mentions += [mention] if mention else []
        position += length
    return mentions


def _trimmed(match: re.Match[str]) -> tuple[int, int]:
    word = re.sub(r"('s|[.'])+$", "", match.group())
    return match.start(), match.start() + len(word)


def _mention(text: str, tokens: list[tuple[int, int]]) -> tuple[Mention | None, int]:
    """The longest drug name at the first token, and its length in tokens."""
    start = tokens[0][0]
    for length in range(len(tokens), 0, -1):
        span = text[start : tokens[length - 1][1]]
        ingredients = vocabulary().generics.get(key(span)) or _joined(span)
        if ingredients and _is_drug_name(span):
            return Mention(span, start, start + len(span), ingredients), length
    return None, 1


def _joined(span: str) -> tuple[str, ...]:
    """The drugs that hyphens join; none if a part of the name is no drug."""
    parts = [vocabulary().generics.get(part.lower(), ()) for part in span.split("-")]
    return tuple(drug for part in parts for drug in part) if len(parts) > 1 and all(parts) else ()


def _is_drug_name(span: str) -> bool:
    return key(span) not in _everyday_words() and (len(span) > 3 or sum(map(str.isupper, span)) > 1)


@cache
def _everyday_words() -> frozenset[str]:
    return frozenset(read_lines(__package__, "everyday.txt"))
