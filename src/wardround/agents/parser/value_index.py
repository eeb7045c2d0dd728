"""Finds values of the database in a question."""

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from wardround.agents.parser.columns import Domain
from wardround.agents.parser.tokens import Word, words

Name = tuple[str, ...]


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

    Attributes:
        by_name: The values by domain, for each name split into words.
    """

    def __init__(
        self, domains: Mapping[Domain, Sequence[str]], ignored: Collection[str] = ()
    ) -> None:
        self.domains = domains
        self.ignored = ignored
        self.by_name: dict[Name, dict[Domain, tuple[str, ...]]] = {}
        self._prefixes: set[Name] = set()
        for domain in sorted(domains):
            for value in domains[domain]:
                self._add(domain, value)
        for text in ignored:
            self.by_name.pop(tuple(text.split(" ")), None)

    def _add(self, domain: Domain, value: str) -> None:
        name = tuple(word.text for word in words(value))
        if name:
            self.by_name.setdefault(name, {}).setdefault(domain, (value,))
            self._prefixes.update(name[:size] for size in range(1, len(name)))

    def find(self, text: Sequence[Word]) -> list[Mention]:
        """The longest mention at each position, from left to right."""
        found, first = [], 0
        while first < len(text):
            mention = self._longest_at(text, first)
            if mention:
                found.append(mention)
            first = mention.last if mention else first + 1
        return found

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
