"""Other spellings of recorded values: misspelled and partial names (EHR-ChatQA, 4.2.2).

A misspelling is one slip in a long word, never in the first letter. It leads the search of the
agents' tool to the value, and is nearer to its name than to any other in the terms. A partial name
is a part that only the value's texts have. Names without a record are misspelled too, so that no
recorded name contains one.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import cache, partial
from random import Random
from typing import Literal, TypeAlias

from wardround.authoring.chatqa.spoken_values import SpokenValue
from wardround.core.packaged_data import read_rows
from wardround.ehr.terms import also_known_as
from wardround.ehr.terms.conditions import conditions, procedures
from wardround.ehr.terms.labs import labs
from wardround.ehr.terms.vocabulary import mixture_of, vocabulary
from wardround.ehr.values import SimilarityIndex, WordLlamaEmbedder
from wardround.ehr.values.embedders import ordinary_words

Spelling: TypeAlias = Literal["misspelled", "partial"]
SPELLINGS: tuple[Spelling, ...] = ("misspelled", "partial")

_PLAIN = re.compile(r"[a-z]+(?:[ -][a-z]+){0,2}")  # a recorded text that people would write
_CLIPPED = re.compile(r"(?<=[a-z]{4}[ao])(?=[a-z]{3})")  # as in "vanco"
_TRIED = 10  # misspellings of a name that are drawn to find one
_SHORTEST = 5  # letters of a partial name
_LONG_WORD = re.compile(r"(?<![\w-])[a-z]{6,}(?![\w-])")


def respelled(
    values: Mapping[str, Sequence[SpokenValue]],
    recorded: "Mapping[str, Recorded]",
    spellings: Sequence[Spelling],
) -> dict[str, tuple[SpokenValue, ...]]:
    """The values of each kind of record with other spellings of their names.

    Args:
        values: the values by kind.
        recorded: every recorded name by kind.
        spellings: the kinds of spelling.
    """
    return {
        kind: tuple(
            replace(each, respellings=cache(partial(_respellings, each, recorded[kind], spellings)))
            for each in spoken
        )
        for kind, spoken in values.items()
    }


class Recorded:
    """The recorded names of a kind, as the agents' tool searches them.

    Args:
        texts: the names in lower case.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = sorted(texts)
        self._index: SimilarityIndex | None = None

    def nearest(self, text: str) -> str:
        """The name that the search finds first; "" if it finds none."""
        if self._index is None:
            self._index = SimilarityIndex.build(self._texts, WordLlamaEmbedder())
        matches = self._index.search(text, also=also_known_as(text))
        return matches[0].value if matches else ""

    def having(self, part: str) -> set[str]:
        """The names that have a part."""
        return {text for text in self._texts if part in text}


def misspelled_names(value: SpokenValue, recorded: Recorded) -> Iterator[str]:
    """One misspelling of each of a value's names that has any."""
    stored = {text.lower() for text in value.stored}
    plain = sorted(text for text in stored if _PLAIN.fullmatch(text))
    for name in dict.fromkeys((value.name, *value.words, *plain)):
        drawn = misspellings(name)
        for spelling in Random(name).sample(drawn, min(_TRIED, len(drawn))):
            is_new = _is_no_other_name(spelling, name, {value.name})
            if is_new and not recorded.having(spelling) and recorded.nearest(spelling) in stored:
                yield spelling
                break


def misspelled_absent(name: str, recorded: Recorded) -> tuple[str, ...]:
    """Misspellings of the name of something in the terms; no record has one of them."""
    named = meanings_by_name().get(name.lower(), frozenset())
    return tuple(
        spelling
        for spelling in misspellings(name)
        if named and _is_no_other_name(spelling, name, named) and not recorded.having(spelling)
    )


def partial_names(value: SpokenValue, recorded: Recorded) -> Iterator[str]:
    """Parts of a value's names that only its texts have, and no name of another thing."""
    stored = {text.lower() for text in value.stored}
    whole = {value.name, *value.words, *stored}
    for name in dict.fromkeys((value.name, *value.words)):
        for part in _parts(name, value.role.kind == "drug"):
            is_new = part not in whole and part not in ordinary_words()
            if is_new and things_with(part) == {value.name} and recorded.having(part) == stored:
                yield part
                break


def _respellings(
    value: SpokenValue, recorded: Recorded, spellings: Sequence[Spelling]
) -> tuple[tuple[str, ...], ...]:
    names = {"misspelled": misspelled_names, "partial": partial_names}
    return tuple(tuple(names[spelling](value, recorded)) for spelling in spellings)


def _is_no_other_name(spelling: str, name: str, named: Set[str]) -> bool:
    """True if a misspelling is not a word, and no other name is as near as its own."""
    from rapidfuzz.distance import DamerauLevenshtein, Levenshtein
    from rapidfuzz.process import extract

    if ordinary_words() & (set(spelling.split()) - set(name.split())):
        return False
    distance = DamerauLevenshtein.distance
    slips = distance(spelling, name)
    shortest, longest = len(spelling) - slips, len(spelling) + slips
    as_long = [
        rival for length in range(shortest, longest + 1) for rival in _by_length().get(length, ())
    ]
    # A transposition is two edits of Levenshtein's, which is faster.
    near = extract(
        spelling, as_long, scorer=Levenshtein.distance, score_cutoff=2 * slips, limit=None
    )
    rivals = [rival for rival, _, _ in near if distance(spelling, rival) <= slips]
    return all(named & meanings_by_name()[rival] for rival in rivals)


@cache
def _by_length() -> Mapping[int, Sequence[str]]:
    """The names of things by their letters: each edit changes their number by one at most."""
    names: defaultdict[int, list[str]] = defaultdict(list)
    for name in meanings_by_name():
        names[len(name)].append(name)
    return names


def _parts(name: str, is_drug: bool) -> Iterator[str]:
    """The last word of a name; of a drug also the first one, or its beginnings."""
    first, *others = name.split()
    words = [*others[-1:], *([first] if others and is_drug else [])]
    yield from (word for word in words if word.isalpha() and len(word) >= _SHORTEST)
    if is_drug and not others:
        yield from (name[: match.start()] for match in _CLIPPED.finditer(name))


def things_with(part: str) -> frozenset[str]:
    """The things of the terms whose names have a word that begins with a part."""
    words, things_of = _things_by_word()
    begin, end = bisect_left(words, part), bisect_left(words, part + "\uffff")
    return frozenset().union(*(things_of[word] for word in words[begin:end]))


@cache
def _things_by_word() -> tuple[Sequence[str], Mapping[str, frozenset[str]]]:
    things_of: defaultdict[str, set[str]] = defaultdict(set)
    for name, named in meanings_by_name().items():
        for word in name.split():
            things_of[word] |= named
    return sorted(things_of), {word: frozenset(named) for word, named in things_of.items()}


@cache
def meanings_by_name() -> Mapping[str, frozenset[str]]:
    """The possible meanings of the names of the vocabularies, in lower case."""
    named: defaultdict[str, set[str]] = defaultdict(set)
    for name, ingredients in vocabulary().generics.items():
        named[name].add(mixture_of(ingredients))
    for names in (
        *(each.names for each in conditions()),
        *((each.name, *each.synonyms) for each in labs()),
        *((each.name, *each.synonyms) for each in procedures()),
    ):
        for name in names:
            named[name.lower()].add(names[0])
    return {name: frozenset(names_of) for name, names_of in named.items()}


def misspellings(name: str) -> tuple[str, ...]:
    """Plausible misspellings of a name in lower case.

    >>> misspellings("gout"), "amoxicilin" in misspellings("amoxicillin")
    ((), True)
    """
    written = (
        name[: word.start()] + slip + name[word.end() :]
        for word in _LONG_WORD.finditer(name)
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
