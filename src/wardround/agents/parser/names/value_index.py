"""Finds values of the database in a question."""

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from wardround.agents.parser.columns import Domain
from wardround.agents.parser.tokens import Word, words

Name = tuple[str, ...]
Names = Mapping[str, Sequence[str]]
NO_NAMES: Names = MappingProxyType({})


class AliasMatch(NamedTuple):
    """The resolution of a name that is not a value's own.

    Attributes:
        meaning: What the name was taken for.
        probability: That it means that.
    """

    meaning: str
    probability: float


class Mention(NamedTuple):
    """A value named in a question.

    Attributes:
        first, last: Range of the words that name it; `last` is exclusive.
        values: The matching values by domain; several where the name stands for all of them.
        aliases: How the name was resolved, for the domains that do not have the name itself.
    """

    first: int
    last: int
    values: Mapping[Domain, tuple[str, ...]]
    aliases: Mapping[Domain, AliasMatch] = MappingProxyType({})


class ValueIndex:
    """An index from words to the values that they name.

    Args:
        domains: The values of each domain.
        ignored: Texts that are values but never mean one in a question ("other").
        synonyms: Other names that the records give to values, and those values.
        classes: Classes that the records put values into, and those values.

    Attributes:
        by_name: The values by domain, for each name split into words.
        of_classes: The names of classes that are no value's own name.
    """

    def __init__(
        self,
        domains: Mapping[Domain, Sequence[str]],
        ignored: Collection[str] = (),
        synonyms: Names = NO_NAMES,
        classes: Names = NO_NAMES,
    ) -> None:
        self.domains = domains
        self.ignored = ignored
        self.by_name: dict[Name, dict[Domain, tuple[str, ...]]] = {}
        self._prefixes: set[Name] = set()
        for domain in sorted(domains):
            for value in domains[domain]:
                self._add(domain, value)
        for other in sorted(synonyms):
            self._add_name(other, synonyms[other], is_wider=False)
        names = set(self.by_name)
        for broader in sorted(classes):
            self._add_name(broader, classes[broader], is_wider=True)
        self.of_classes = self.by_name.keys() - names
        for text in ignored:
            self.by_name.pop(tuple(text.split(" ")), None)

    def _add(self, domain: Domain, value: str) -> None:
        name = tuple(word.text for word in words(value))
        if name:
            self.by_name.setdefault(name, {}).setdefault(domain, (value,))
            self._prefixes.update(name[:size] for size in range(1, len(name)))

    def _add_name(self, other: str, values: Sequence[str], *, is_wider: bool) -> None:
        """Add another name of values; a wider one includes the value whose own name it is."""
        name = tuple(word.text for word in words(other))
        for domain, known in self._known.items() if name else ():
            texts = self.by_name.get(name, {}).get(domain, ())
            new = tuple(value for value in values if value in known and value not in texts)
            if new and (is_wider or not texts):
                self.by_name.setdefault(name, {})[domain] = (*texts, *new)
                self._prefixes.update(name[:size] for size in range(1, len(name)))

    @cached_property
    def _known(self) -> Mapping[Domain, frozenset[str]]:
        return {domain: frozenset(self.domains[domain]) for domain in sorted(self.domains)}

    def find(self, text: Sequence[Word]) -> list[Mention]:
        """The longest mention at each position, from left to right."""
        phrases, first = [], 0
        while first < len(text):
            mention = self._longest_at(text, first)
            if mention:
                phrases.append(mention)
            first = mention.last if mention else first + 1
        return phrases

    def _longest_at(self, text: Sequence[Word], first: int) -> Mention | None:
        longest: Mention | None = None
        name: Name = ()
        for last in range(first, len(text)):
            name = (*name, text[last].text)
            values = self.by_name.get(name)
            if values:
                longest = Mention(first, last + 1, values)
            if name not in self._prefixes:
                break
        return longest
