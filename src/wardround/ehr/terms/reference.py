"""Full-text search (BM25) in the offline clinical reference."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from wardround.ehr.terms.articles import Article, articles
from wardround.ehr.terms.names import key

_K1, _B = 1.2, 0.75  # BM25's usual constants
_COMMON = 0.25  # words in more than this share of the articles are ignored
_NAME_BONUS = 12.0  # per word of an article name found as a phrase
_LONGEST = 6  # words in the longest phrase
_STOP_WORDS = frozenset(  # words of questions rather than of topics
    {"alternative", "alternatives", "brand", "class", "classes", "common", "condition", "drug"}
    | {"drugs", "effects", "equivalent", "for", "generic", "in", "is", "lab", "labs", "list"}
    | {"medication", "medications", "medicine", "name", "names", "of", "or", "procedure", "side"}
    | {"procedures", "test", "tests", "the", "to", "treat", "treatment", "used", "what", "and"}
)


class SearchProvider(Protocol):
    """Interface of a search engine: this reference or one on the web."""

    def search(self, keyword: str, k: int = 5) -> list[Article]:
        """At most `k` articles for a keyword, best first."""


@dataclass(frozen=True)
class _Index:
    articles: tuple[Article, ...]
    named: Mapping[str, tuple[int, ...]]  # normalized name -> articles of that name
    weights: Mapping[str, Mapping[int, float]]  # word -> article -> BM25 weight


def search(keyword: str, k: int = 5) -> list[Article]:
    """At most `k` articles for a keyword, best first; `[]` if no word of it is known.

    Articles named in the keyword rank above those that only mention it (Lee et al. 2025, A.2).

    >>> [article.title for article in search("Lopressor", k=1)]
    ['metoprolol']
    >>> search("flurbium")
    []
    """
    words = _words(keyword)
    index = _index()
    scores: Counter[int] = Counter()
    for word in dict.fromkeys(word for word in words if word not in _STOP_WORDS):
        scores.update(index.weights.get(word, {}))
    for name in _phrases(words):
        bonus = _NAME_BONUS * len(name.split())
        scores.update(dict.fromkeys(index.named.get(name, ()), bonus))
    best = sorted(scores, key=lambda number: (-scores[number], number))
    return [index.articles[number] for number in best[:k]]


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9%][a-z0-9.'/]*[a-z0-9]|[a-z0-9%]", key(text))


def _phrases(words: list[str]) -> Iterator[str]:
    """Every run of words up to the longest phrase, with and without a plural ending."""
    for start in range(len(words)):
        for end in range(start + 1, min(start + _LONGEST, len(words)) + 1):
            phrase = " ".join(words[start:end])
            yield from {phrase: None, phrase.removesuffix("s"): None}


@cache
def _index() -> _Index:
    indexed = tuple(articles())
    by_name: dict[str, list[int]] = defaultdict(list)
    for number, entry in enumerate(indexed):
        for name in dict.fromkeys(" ".join(_words(name)) for name in entry.names):
            by_name[name].append(number)
    contents = tuple(entry.article for entry in indexed)
    counts = [Counter(_words(f"{article.title} {article.text}")) for article in contents]
    names = {name: tuple(numbers) for name, numbers in by_name.items()}
    return _Index(contents, names, _weights(counts))


def _weights(counts: list[Counter[str]]) -> dict[str, dict[int, float]]:
    """BM25 weight of each word in each article, without common words."""
    mean = sum(map(Counter.total, counts)) / len(counts)
    weights: dict[str, dict[int, float]] = defaultdict(dict)
    for number, words in enumerate(counts):
        length = _K1 * (1 - _B + _B * words.total() / mean)
        for word, times in words.items():
            weights[word][number] = times * (_K1 + 1) / (times + length)
    return {
        word: {
            number: weight * _rarity(len(by_article), len(counts))
            for number, weight in by_article.items()
        }
        for word, by_article in weights.items()
        if len(by_article) <= _COMMON * len(counts)
    }


def _rarity(articles_with_word: int, articles: int) -> float:
    return math.log1p((articles - articles_with_word + 0.5) / (articles_with_word + 0.5))
