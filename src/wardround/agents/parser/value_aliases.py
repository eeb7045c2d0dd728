"""Values under other names than theirs: brands, generics, everyday words, and parts of names."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from wardround.agents.parser.columns import Domain
from wardround.agents.parser.question_reader import Reading
from wardround.agents.parser.tokens import Word, number, words
from wardround.agents.parser.value_linker import Mention, Name, Near, ValueIndex
from wardround.ehr.terms import find_drugs, formal_names, generics, lab_names
from wardround.ehr.terms.names import salts
from wardround.ehr.values.names import other_names

Values = Mapping[Domain, tuple[str, ...]]

# How likely a name that is not a value's own means it.
SAME_DRUG = 0.95
SAME_THING = 0.9
PART = 0.8

# Words in the longest name looked for, and letters in the shortest that is not in capitals.
_LONGEST = 6
_SHORTEST = 3

# A part of more names than these tells little.
_MOST = 100

# A title with this word tells of the past or of a relative, not of the thing.
_HISTORY = "history"


class OtherNames:
    """Finds values by names that are not their own.

    Args:
        index: The values.
        known: Words of questions that name nothing.
    """

    def __init__(self, index: ValueIndex, known: frozenset[str]) -> None:
        self._index = index
        self._known = known

    def strange(self, word: Word) -> bool:
        """Whether a word may be of a name: questions are not put with it."""
        named = any(map(str.isalpha, word.text)) and number(word.text) is None
        return named and word.text not in self._known

    @cached_property
    def words(self) -> Collection[str]:
        """The words that questions and names of values have."""
        return self._known | self._holders.keys()

    def find(self, reading: Reading) -> list[list[Mention]]:
        """The values that a question may name, exactly or otherwise, each time from left to right.

        What is named otherwise is of one domain at a time, where it can be, as exact names mostly
        are: so it is put as the questions that were learnt from.

        Args:
            reading: The question with the values that it names exactly.
        """
        mentions = self._all(reading)
        domains = dict.fromkeys(domain for one in mentions for domain in one.near)
        return [[_of_domain(one, domain) for one in mentions] for domain in domains]

    def unexplained(self, reading: Reading) -> bool:
        """Whether a question has words of names that name nothing."""
        spans = [(one.first, one.last) for one in reading.mentions]
        spans += [(time.first, time.last) for time in reading.times]
        named = {at for first, last in spans for at in range(first, last)}
        return any(self.strange(word) for at, word in enumerate(reading.words) if at not in named)

    def _all(self, reading: Reading) -> list[Mention]:
        found = list(reading.mentions)
        for drug in _drugs(reading):
            if same := self._of_drug.get(drug.ingredients):
                near = Near(" and ".join(sorted(drug.ingredients)), SAME_DRUG)
                found = _with(
                    Mention(drug.first, drug.last, same, dict.fromkeys(same, near)), found
                )
        for mention in self._things(reading):
            part = any(near.chance == PART for near in mention.near.values())
            if not part or not any(_alike(mention, one) for one in found):
                found = _with(mention, found)
        return sorted(found, key=lambda one: one.first)

    def absent(self, reading: Reading) -> list[str]:
        """The ingredients of the drugs that a question names and that no value is of."""
        named = {at for one in reading.mentions for at in range(one.first, one.last)}
        return [
            drug.name
            for drug in _drugs(reading)
            if drug.first not in named and drug.ingredients not in self._of_drug
        ]

    def _things(self, reading: Reading) -> Iterator[Mention]:
        """Names of other things, the longest at each place."""
        first = 0
        while first < len(reading.words):
            mention = self._thing(reading, first)
            if mention:
                yield mention
            first = mention.last if mention else first + 1

    def _thing(self, reading: Reading, first: int) -> Mention | None:
        for last in range(min(first + _LONGEST, len(reading.words)), first, -1):
            those = reading.words[first:last]
            text = reading.question[those[0].start : those[-1].end]
            if not self._is_name(those) or (len(text) < _SHORTEST and not text.isupper()):
                continue
            if any(first < time.last and time.first < last for time in reading.times):
                continue
            values, near = self._called(text, those)
            if values:
                return Mention(first, last, values, dict.fromkeys(values, near))
        return None

    def _is_name(self, those: Sequence[Word]) -> bool:
        whole = those[0].text.isalnum() and those[-1].text.isalnum()
        return whole and any(self.strange(word) for word in those)

    def _called(self, text: str, those: Sequence[Word]) -> tuple[Values, Near]:
        """The values that a name stands for: under another name, or with it as a part."""
        labs, formal = lab_names(text), _formal(text)
        bounded = self.strange(those[0]) and self.strange(those[-1])
        others = other_names(text) if bounded else []
        for name in labs:
            if values := self._index.values.get(_name(name)):
                return values, Near(name, SAME_THING)
        if formal:
            every = [self._with_words(_name(name)) for name in (text, *formal)]
            return _joined(every), Near(formal[0], SAME_THING)
        for name in others:
            if values := self._index.values.get(_name(name)):
                return values, Near(name, SAME_THING)
        own = [text] if all(self.strange(word) for word in those) else []
        parts = [*own, *labs, *others]
        holding = {name.lower(): self._with_part(_name(name)) for name in reversed(parts)}
        values = {domain: those for held in holding.values() for domain, those in held.items()}
        return values, Near(" or ".join(name for name in reversed(holding) if holding[name]), PART)

    def _with_words(self, name: Name) -> Values:
        """The values with all words of a name."""
        return self._values(self._with_all(name))

    def _with_part(self, name: Name) -> Values:
        """The values that a name is a part of; one word has to be the first or last of a part."""
        telling = len(name) > 1
        return self._values(n for n in self._with_all(name) if telling or _is_at_an_end(name, n))

    def _with_all(self, name: Name) -> list[Name]:
        wanted = [self._holders.get(word, set()) for word in name if word.isalnum()]
        holding = set.intersection(*wanted) if wanted else set()
        return [one for one in holding if _HISTORY in name or _HISTORY not in one]

    def _values(self, names: Iterable[Name]) -> Values:
        # The fewer words, the nearer to what was said.
        nearest = sorted(names, key=lambda name: (len(name), name))
        every = _joined(self._index.values[one] for one in nearest)
        return {domain: values for domain, values in every.items() if len(values) <= _MOST}

    @cached_property
    def _holders(self) -> Mapping[str, set[Name]]:
        """The names with a word."""
        holders: dict[str, set[Name]] = defaultdict(set)
        for name in self._index.values:
            for word in name:
                holders[word].add(name)
        return holders

    @cached_property
    def _of_drug(self) -> Mapping[frozenset[str], Values]:
        """The values that are of a drug, by its ingredients."""
        those: dict[frozenset[str], list[Values]] = defaultdict(list)
        for name in sorted(self._index.values):
            values = self._index.values[name]
            if ingredients := generics(next(iter(values.values()))[0]):
                those[frozenset(ingredients)].append(values)
        return {ingredients: _joined(values) for ingredients, values in those.items()}


def _joined(each: Iterable[Values]) -> Values:
    joined: dict[Domain, tuple[str, ...]] = {}
    for values in each:
        for domain, named in values.items():
            joined[domain] = tuple(dict.fromkeys((*joined.get(domain, ()), *named)))
    return joined


class _Drug(NamedTuple):
    first: int
    last: int
    ingredients: frozenset[str]

    @property
    def name(self) -> str:
        return " and ".join(sorted(self.ingredients))


def _drugs(reading: Reading) -> Iterator[_Drug]:
    """The drugs that a question names, with the salts said behind them."""
    said = reading.words
    for drug in find_drugs(reading.question):
        inside = [
            n for n, word in enumerate(said) if word.start < drug.end and drug.start < word.end
        ]
        if inside:
            last = inside[-1] + 1
            while last < len(said) and said[last].text in salts():
                last += 1
            yield _Drug(inside[0], last, frozenset(drug.generics))


def _of_domain(mention: Mention, domain: Domain) -> Mention:
    """The mention as one of the domain's values, if it is another name for one."""
    if domain not in mention.near:
        return mention
    near = {domain: mention.near[domain]}
    return mention._replace(values={domain: mention.values[domain]}, near=near)


def _alike(one: Mention, other: Mention) -> bool:
    return (one.first, one.last) == (other.first, other.last)


def _with(mention: Mention, found: Sequence[Mention]) -> list[Mention]:
    """The mentions with one more in place of those inside it; of one name all domains."""
    over = [one for one in found if one.first < mention.last and mention.first < one.last]
    if any(one.first < mention.first or mention.last < one.last for one in over):
        return list(found)
    for one in over:
        if _alike(one, mention):
            near = {domain: how for domain, how in mention.near.items() if domain not in one.values}
            values, near = {**mention.values, **one.values}, {**near, **one.near}
            mention = Mention(one.first, one.last, values, near)
    return [*(one for one in found if one not in over), mention]


def _is_at_an_end(name: Name, whole: Name) -> bool:
    """Whether a value begins with a name, or a part of it between marks ends with it.

    >>> _is_at_an_end(("glucose",), ("glucose", "finger", "stick"))
    True
    >>> _is_at_an_end(("kidney", "failure"), ("acute", "kidney", "failure", ",", "unspecified"))
    True
    >>> _is_at_an_end(("four",), ("closed", "fracture", "of", "four", "ribs"))
    False
    """
    size = len(name)
    ends = [at for at in range(size, len(whole) + 1) if whole[at - size : at] == name]
    return any(at == size or at == len(whole) or not whole[at].isalnum() for at in ends)


def _formal(text: str) -> tuple[str, ...]:
    """The formal names of a lay term as a whole, not of one with words around it."""
    _, _, without_first = text.partition(" ")
    without_last, _, _ = text.rpartition(" ")
    inside = {*formal_names(without_first), *formal_names(without_last)}
    return tuple(name for name in formal_names(text) if name not in inside)


def _name(text: str) -> Name:
    return tuple(word.text for word in words(text))
