"""The closed lexicon of the grammar: phrases and their meanings."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from wardround.agents.parser.tokens import words
from wardround.core.packaged_data import read_toml
from wardround.ehr.text.cues import negation_words
from wardround.ehr.text.dates import MONTH_NAMES

Phrase = tuple[str, ...]

HARMLESS = "harmless"
WORDS = "words"


class Meaning(NamedTuple):
    """The meaning of a phrase: `Meaning("sex", "female")`."""

    kind: str
    name: str


@cache
def lexicon() -> Mapping[Phrase, tuple[Meaning, ...]]:
    """The meanings of each phrase, harmless last."""
    by_phrase: dict[Phrase, list[Meaning]] = {}
    for phrase, meaning in _entries():
        if meaning not in by_phrase.setdefault(phrase, []):
            by_phrase[phrase].append(meaning)
    return {phrase: tuple(meanings) for phrase, meanings in by_phrase.items()}


@cache
def prefixes() -> frozenset[Phrase]:
    """The proper beginnings of the phrases."""
    return frozenset(phrase[:size] for phrase in lexicon() for size in range(1, len(phrase)))


@cache
def harmless_words() -> frozenset[str]:
    """The single words that change no answer where a query has what was done."""
    lists = (_content()[HARMLESS], _content()["light"])
    phrases = (phrase for text in lists for phrase in _phrases(text.replace("\n", ";")))
    return frozenset(phrase[0] for phrase in phrases if len(phrase) == 1)


@cache
def operator_words() -> frozenset[str]:
    """The words of comparisons, negations, sums and the like, which a query has to use."""
    phrases = _phrases(_content()["operators"].replace("\n", ";"))
    return frozenset(phrase[0] for phrase in phrases if len(phrase) == 1)


@cache
def kinds_by_word() -> Mapping[str, frozenset[str]]:
    """The kinds of record that the words of nouns and verbs are about."""
    by_word: dict[str, set[str]] = {}
    for section in ("noun", "verb"):
        for kind, phrases in _content()[section].items():
            for phrase in _phrases(phrases):
                for word in set(phrase) - harmless_words():
                    by_word.setdefault(word, set()).add(kind)
    return {word: frozenset(kinds) for word, kinds in by_word.items()}


@cache
def known_words() -> frozenset[str]:
    """All words of the lexicon, and function words that it does not cover."""
    reserved = _phrases(_content()["reserved"].replace("\n", ";"))
    return frozenset(word for phrase in (*lexicon(), *reserved) for word in phrase)


def _entries() -> Iterator[tuple[Phrase, Meaning]]:
    content = _content()
    harmless, lay_words = content[HARMLESS], content[WORDS]
    for kind, meanings in content.items():
        if kind in (HARMLESS, WORDS, "light", "operators", "reserved"):
            continue
        for name, phrases in meanings.items():
            yield from ((phrase, Meaning(kind, name)) for phrase in _phrases(phrases))
    for record, meanings in lay_words.items():
        for name, phrases in meanings.items():
            meaning = Meaning(WORDS, f"{record}.{name}")
            yield from ((phrase, meaning) for phrase in _phrases(phrases))
    yield from ((phrase, Meaning(HARMLESS, "")) for phrase in _phrases(harmless.replace("\n", ";")))


def _phrases(text: str) -> Iterator[Phrase]:
    for phrase in text.replace("{negation}", ";".join(negation_words("en"))).split(";"):
        if tokens := tuple(word.text for word in words(phrase)):
            yield tokens


@cache
def _content() -> Mapping[str, Any]:
    months = {str(number): name.lower() for number, name in enumerate(MONTH_NAMES, start=1)}
    return {**read_toml("wardround.agents.parser.grammar", "lexicon.toml"), "month": months}
