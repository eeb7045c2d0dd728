"""Finds values by other names: brands, generics, lay terms and parts of names."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple, TypeAlias

from wardround.agents.parser.columns import Domain
from wardround.agents.parser.question_reader import Reading
from wardround.agents.parser.tokens import Word, number, words
from wardround.agents.parser.value_index import AliasMatch, Mention, Name, ValueIndex
from wardround.ehr.terms import find_drugs, formal_names, generics, lab_names
from wardround.ehr.terms.names import salts
from wardround.ehr.values.names import other_names

Values: TypeAlias = Mapping[Domain, tuple[str, ...]]

# The probability that an alias of each sort means the value.
SAME_DRUG = 0.95
SYNONYM = 0.9
PART = 0.8

_MAX_WORDS = 6

# Shorter names count only in capitals, as abbreviations.
_MIN_LETTERS = 3

# A part shared by more names is too unspecific.
_MAX_NAMES = 100

# A title with this word is about the past or a relative, not about the thing.
_HISTORY = "history"


class AliasFinder:
    """Finds mentions of values by names that are not their own.

    Args:
        index: The values.
        known: Words of training questions that are not part of names.
    """

    def __init__(self, index: ValueIndex, known: frozenset[str]) -> None:
        self._index = index
        self._known = known

    def is_unknown(self, word: Word) -> bool:
        """True if a word may be part of a name, because no training question had it."""
        is_word = any(map(str.isalpha, word.text)) and number(word.text) is None
        return is_word and word.text not in self._known

    @cached_property
    def words(self) -> Collection[str]:
        """The words of training questions and of names."""
        return self._known | self._names_by_word.keys()

    def find(self, reading: Reading) -> list[list[Mention]]:
        """Alternative lists of mentions, each from left to right.

        Each alternative resolves aliases in one domain where it can, because the questions that
        the classifiers learned from mask exact names, which are mostly of one domain.

        Args:
            reading: The question with its exact mentions.
        """
        mentions = self._all_mentions(reading)
        domains = dict.fromkeys(domain for one in mentions for domain in one.aliases)
        return [[_restricted(one, domain) for one in mentions] for domain in domains]

    def has_unknown_words(self, reading: Reading) -> bool:
        """True if a question has unknown words outside of its mentions and times."""
        spans = [(one.first, one.last) for one in reading.mentions]
        spans += [(time.first, time.last) for time in reading.times]
        covered = {at for first, last in spans for at in range(first, last)}
        return any(
            self.is_unknown(word) for at, word in enumerate(reading.words) if at not in covered
        )

    def absent_drugs(self, reading: Reading) -> list[str]:
        """The ingredients of the drugs in a question that the database does not have."""
        covered = {at for one in reading.mentions for at in range(one.first, one.last)}
        return [
            drug.name
            for drug in _drug_mentions(reading)
            if drug.first not in covered and drug.ingredients not in self._values_by_drug
        ]

    def _all_mentions(self, reading: Reading) -> list[Mention]:
        found = list(reading.mentions)
        for drug in _drug_mentions(reading):
            if values := self._values_by_drug.get(drug.ingredients):
                alias = AliasMatch(" and ".join(sorted(drug.ingredients)), SAME_DRUG)
                aliases = dict.fromkeys(values, alias)
                found = _with_mention(Mention(drug.first, drug.last, values, aliases), found)
        for mention in self._other_mentions(reading):
            is_part = any(alias.probability == PART for alias in mention.aliases.values())
            if not is_part or not any(_same_span(mention, one) for one in found):
                found = _with_mention(mention, found)
        return sorted(found, key=lambda one: one.first)

    def _other_mentions(self, reading: Reading) -> Iterator[Mention]:
        """Aliases of things other than drugs, the longest at each position."""
        first = 0
        while first < len(reading.words):
            mention = self._longest_at(reading, first)
            if mention:
                yield mention
            first = mention.last if mention else first + 1

    def _longest_at(self, reading: Reading, first: int) -> Mention | None:
        for last in range(min(first + _MAX_WORDS, len(reading.words)), first, -1):
            span = reading.words[first:last]
            text = reading.question[span[0].start : span[-1].end]
            if not self._may_be_name(span) or (len(text) < _MIN_LETTERS and not text.isupper()):
                continue
            if any(first < time.last and time.first < last for time in reading.times):
                continue
            values, alias = self._resolve(text, span)
            if values:
                return Mention(first, last, values, dict.fromkeys(values, alias))
        return None

    def _may_be_name(self, span: Sequence[Word]) -> bool:
        is_bounded = span[0].text.isalnum() and span[-1].text.isalnum()
        return is_bounded and any(self.is_unknown(word) for word in span)

    def _resolve(self, text: str, span: Sequence[Word]) -> tuple[Values, AliasMatch]:
        """The values that a name stands for, by a synonym or as part of their names."""
        labs, formal = lab_names(text), _formal_names(text)
        is_bounded = self.is_unknown(span[0]) and self.is_unknown(span[-1])
        others = other_names(text) if is_bounded else []
        for name in labs:
            if values := self._index.by_name.get(_name(name)):
                return values, AliasMatch(name, SYNONYM)
        if formal:
            each = [self._with_all_words(_name(name)) for name in (text, *formal)]
            return _merged(each), AliasMatch(formal[0], SYNONYM)
        for name in others:
            if values := self._index.by_name.get(_name(name)):
                return values, AliasMatch(name, SYNONYM)
        own = [text] if all(self.is_unknown(word) for word in span) else []
        return self._by_part([*own, *labs, *others])

    def _by_part(self, parts: Sequence[str]) -> tuple[Values, AliasMatch]:
        found = {part.lower(): self._with_part(_name(part)) for part in reversed(parts)}
        values = {domain: one for matches in found.values() for domain, one in matches.items()}
        return values, AliasMatch(
            " or ".join(part for part in reversed(found) if found[part]), PART
        )

    def _with_all_words(self, name: Name) -> Values:
        return self._values(self._names_with(name))

    def _with_part(self, name: Name) -> Values:
        """The values with a part of a name; a single word must be the first or last of a part."""
        is_specific = len(name) > 1
        return self._values(
            whole for whole in self._names_with(name) if is_specific or _is_at_an_end(name, whole)
        )

    def _names_with(self, name: Name) -> list[Name]:
        sets = [self._names_by_word.get(word, set()) for word in name if word.isalnum()]
        names = set.intersection(*sets) if sets else set()
        return [one for one in names if _HISTORY in name or _HISTORY not in one]

    def _values(self, names: Iterable[Name]) -> Values:
        # Shorter names are closer to what was written.
        closest = sorted(names, key=lambda name: (len(name), name))
        merged = _merged(self._index.by_name[one] for one in closest)
        return {domain: values for domain, values in merged.items() if len(values) <= _MAX_NAMES}

    @cached_property
    def _names_by_word(self) -> Mapping[str, set[Name]]:
        names: dict[str, set[Name]] = defaultdict(set)
        for name in self._index.by_name:
            for word in name:
                names[word].add(name)
        return names

    @cached_property
    def _values_by_drug(self) -> Mapping[frozenset[str], Values]:
        """The values that are drugs, by their ingredients."""
        found: dict[frozenset[str], list[Values]] = defaultdict(list)
        for name in sorted(self._index.by_name):
            values = self._index.by_name[name]
            if ingredients := generics(next(iter(values.values()))[0]):
                found[frozenset(ingredients)].append(values)
        return {ingredients: _merged(values) for ingredients, values in found.items()}


def _merged(each: Iterable[Values]) -> Values:
    merged: dict[Domain, tuple[str, ...]] = {}
    for values in each:
        for domain, names in values.items():
            merged[domain] = tuple(dict.fromkeys((*merged.get(domain, ()), *names)))
    return merged


class _DrugMention(NamedTuple):
    first: int
    last: int
    ingredients: frozenset[str]

    @property
    def name(self) -> str:
        return " and ".join(sorted(self.ingredients))


def _drug_mentions(reading: Reading) -> Iterator[_DrugMention]:
    """The drugs of a question, with the salts written behind them."""
    tokens = reading.words
    for drug in find_drugs(reading.question):
        inside = [
            n for n, word in enumerate(tokens) if word.start < drug.end and drug.start < word.end
        ]
        if inside:
            last = inside[-1] + 1
            while last < len(tokens) and tokens[last].text in salts():
                last += 1
            yield _DrugMention(inside[0], last, frozenset(drug.generics))


def _restricted(mention: Mention, domain: Domain) -> Mention:
    """The mention with the values of one domain only, if it is an alias there."""
    if domain not in mention.aliases:
        return mention
    aliases = {domain: mention.aliases[domain]}
    return mention._replace(values={domain: mention.values[domain]}, aliases=aliases)


def _same_span(one: Mention, other: Mention) -> bool:
    return (one.first, one.last) == (other.first, other.last)


def _with_mention(mention: Mention, found: Sequence[Mention]) -> list[Mention]:
    """Add a mention in place of those inside it; merge the domains of equal spans."""
    over = [one for one in found if one.first < mention.last and mention.first < one.last]
    if any(one.first < mention.first or mention.last < one.last for one in over):
        return list(found)
    for one in over:
        if _same_span(one, mention):
            new = {domain: m for domain, m in mention.aliases.items() if domain not in one.values}
            values = {**mention.values, **one.values}
            mention = Mention(one.first, one.last, values, {**new, **one.aliases})
    return [*(one for one in found if one not in over), mention]


def _is_at_an_end(name: Name, whole: Name) -> bool:
    """True if a value starts with a name, or a part of it between marks ends with it.

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


def _formal_names(text: str) -> tuple[str, ...]:
    """The formal names of a lay term, without those of the term less its first or last word."""
    _, _, without_first = text.partition(" ")
    without_last, _, _ = text.rpartition(" ")
    inside = {*formal_names(without_first), *formal_names(without_last)}
    return tuple(name for name in formal_names(text) if name not in inside)


def _name(text: str) -> Name:
    return tuple(word.text for word in words(text))
