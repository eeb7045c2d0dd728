"""An index from brands, generics, lay terms and parts of names to values."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TypeAlias

from wardround.agents.parser.columns import Domain
from wardround.agents.parser.names.name_parts import IsPart, at_an_end
from wardround.agents.parser.names.value_index import AliasMatch, Name, ValueIndex
from wardround.agents.parser.tokens import words
from wardround.ehr.terms import formal_names, generics, lab_names
from wardround.ehr.values.names import other_names

Values: TypeAlias = Mapping[Domain, tuple[str, ...]]

# The probability that an alias of each sort means the value.
SAME_DRUG = 0.95
SYNONYM = 0.9
PART = 0.8

# A part shared by more names is too unspecific.
_MAX_NAMES = 100

# A title with this word is about the past or a relative, not about the thing.
_HISTORY = "history"


class AliasIndex:
    """Resolves names that are not the values' own.

    Args:
        index: The values.
        is_part: Whether a part of a name can stand for the whole name.
    """

    def __init__(self, index: ValueIndex, is_part: IsPart = at_an_end) -> None:
        self._index = index
        self._is_part = is_part

    def resolve(
        self, text: str, *, is_bounded: bool, is_unknown: bool
    ) -> tuple[Values, AliasMatch]:
        """The values that a name stands for, by a synonym or as part of their names.

        Args:
            text: The name as written.
            is_bounded: Whether its first and last words are unknown to the parser.
            is_unknown: Whether all of its words are.
        """
        labs, formal = lab_names(text), _formal_names(text)
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
        unknown = [text] if is_unknown else []
        return self._by_part([*unknown, *labs, *others])

    def _by_part(self, parts: Sequence[str]) -> tuple[Values, AliasMatch]:
        by_part = {part.lower(): self._with_part(_name(part)) for part in reversed(parts)}
        values = {domain: item for matches in by_part.values() for domain, item in matches.items()}
        return values, AliasMatch(
            " or ".join(part for part in reversed(by_part) if by_part[part]), PART
        )

    def _with_all_words(self, name: Name) -> Values:
        return self._values(self._names_with(name))

    def _with_part(self, name: Name) -> Values:
        names = self._names_with(name)
        return self._values(whole for whole in names if self._is_part(name, whole))

    def _names_with(self, name: Name) -> list[Name]:
        sets = [self.names_by_word.get(word, set()) for word in name if word.isalnum()]
        names = set.intersection(*sets) if sets else set()
        return [item for item in names if _HISTORY in name or _HISTORY not in item]

    def _values(self, names: Iterable[Name]) -> Values:
        # Shorter names are closer to what was written.
        closest = sorted(names, key=lambda name: (len(name), name))
        merged = _merged(self._index.by_name[item] for item in closest)
        return {domain: values for domain, values in merged.items() if len(values) <= _MAX_NAMES}

    @cached_property
    def names_by_word(self) -> Mapping[str, set[Name]]:
        """The names with a word."""
        names: dict[str, set[Name]] = defaultdict(set)
        for name in self._index.by_name.keys() - self._index.of_classes:
            for word in name:
                names[word].add(name)
        return names

    @cached_property
    def values_by_drug(self) -> Mapping[frozenset[str], Values]:
        """The values that are drugs, by their ingredients."""
        by_drug: dict[frozenset[str], list[Values]] = defaultdict(list)
        for name in sorted(self._index.by_name.keys() - self._index.of_classes):
            values = self._index.by_name[name]
            if ingredients := generics(next(iter(values.values()))[0]):
                by_drug[frozenset(ingredients)].append(values)
        return {ingredients: _merged(values) for ingredients, values in by_drug.items()}


def _merged(each: Iterable[Values]) -> Values:
    merged: dict[Domain, tuple[str, ...]] = {}
    for values in each:
        for domain, names in values.items():
            merged[domain] = tuple(dict.fromkeys((*merged.get(domain, ()), *names)))
    return merged


def _formal_names(text: str) -> tuple[str, ...]:
    """The formal names of a lay term, without those of the term less its first or last word."""
    _, _, without_first = text.partition(" ")
    without_last, _, _ = text.rpartition(" ")
    inside = {*formal_names(without_first), *formal_names(without_last)}
    return tuple(name for name in formal_names(text) if name not in inside)


def _name(text: str) -> Name:
    return tuple(word.text for word in words(text))
