"""Values of the database found in a question."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from wardround.agents.parser.columns import Domain, values_of
from wardround.agents.parser.tokens import Word, words
from wardround.ehr.database import Database

Name = tuple[str, ...]


class Near(NamedTuple):
    """A name that no value has as it is written.

    Attributes:
        meant: What it was taken for.
        chance: How likely it means that.
    """

    meant: str
    chance: float


class Mention(NamedTuple):
    """A value that a question names.

    Attributes:
        first, last: The words that name it; `last` is not one of them.
        values: What each domain that has it calls it; several where the name stands for them all.
        near: What the words were taken for, where a domain does not have their very name.
    """

    first: int
    last: int
    values: Mapping[Domain, tuple[str, ...]]
    near: Mapping[Domain, Near] = MappingProxyType({})


class ValueIndex:
    """The values of some domains, found by their words.

    Args:
        domains: Whose values there are.
        database: Where they are read.
        ignored: Texts that are values and yet mean none of them in a question ("other").

    Attributes:
        values: What each domain calls what has a name, by the words of the name.
    """

    def __init__(
        self, domains: Iterable[Domain], database: Database, ignored: Collection[str] = ()
    ) -> None:
        self.values: dict[Name, dict[Domain, tuple[str, ...]]] = {}
        self._beginnings: set[Name] = set()
        for domain in sorted(domains):
            for value in values_of(domain, database):
                self._add(domain, value)
        for text in ignored:
            self.values.pop(tuple(text.split(" ")), None)

    def _add(self, domain: Domain, value: str) -> None:
        named = tuple(word.text for word in words(value))
        if named:
            self.values.setdefault(named, {}).setdefault(domain, (value,))
            self._beginnings.update(named[:size] for size in range(1, len(named)))

    def find(self, text: Sequence[Word]) -> list[Mention]:
        """The values that are named, the longest at each place, from left to right."""
        found, first = [], 0
        while first < len(text):
            mention = self._at(text, first)
            if mention:
                found.append(mention)
            first = mention.last if mention else first + 1
        return found

    def _at(self, text: Sequence[Word], first: int) -> Mention | None:
        longest: Mention | None = None
        named: Name = ()
        for last in range(first, len(text)):
            named = (*named, text[last].text)
            values = self.values.get(named)
            if values:
                longest = Mention(first, last + 1, values)
            if named not in self._beginnings:
                break
        return longest
