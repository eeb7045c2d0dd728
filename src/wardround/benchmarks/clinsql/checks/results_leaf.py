"""A results leaf as the grammar reads it: its tokens, and the column that it is about."""

from collections.abc import Sequence
from dataclasses import dataclass

from wardround.benchmarks.clinsql.checks.leaf_tokens import Token, tokens
from wardround.benchmarks.clinsql.checks.result_columns import meant_column, same_name
from wardround.benchmarks.clinsql.checks.results_checks import Column


@dataclass(frozen=True, slots=True)
class Header:
    """The gold's columns, and the other names that the rubric offers for each."""

    columns: tuple[str, ...]
    aliases: tuple[tuple[str, ...], ...] = ()

    def find(self, found: Sequence[Token]) -> int | None:
        """The column that tokens name or mean; None if none or several."""
        named = {self._named(token.text) for token in found if token.kind == "name"} - {None}
        if named:
            return named.pop() if len(named) == 1 else None
        text = " ".join(token.text for token in found)
        best = meant_column(self.columns, text)
        if best is None and self.aliases:
            best = meant_column([" ".join(names[:1]) for names in self.aliases], text)
        return best

    def column(self, at: int) -> Column:
        """The column at a place, as a check names it."""
        names = dict.fromkeys((self.columns[at], *(self.aliases[at] if self.aliases else ())))
        meaning = self.columns[at].replace("_", " ")
        return Column(names=tuple(names), meaning=meaning, position=at)

    def _named(self, name: str) -> int | None:
        at = same_name(self.columns, name)
        if at is not None:
            return at
        found = [at for at, names in enumerate(self.aliases) if same_name(names, name) is not None]
        return found[0] if len(found) == 1 else None


@dataclass(frozen=True, slots=True)
class ResultsLeaf:
    """A results leaf as the grammar reads it.

    Attributes:
        tokens: Its sentence.
        headings: The sentences and ids of its groups, the nearest first.
        header: The columns that it may mean.
    """

    tokens: Sequence[Token]
    headings: tuple[str, ...]
    header: Header

    @property
    def words(self) -> set[str]:
        """The words of its sentence."""
        return {token.text for token in self.tokens if token.kind == "word"}

    def says(self, text: str) -> bool:
        """True if one of its tokens is this text."""
        return any(token.text == text for token in self.tokens)

    def own_column(self) -> int | None:
        """The column that its sentence names or means."""
        return self.header.find(self.tokens)

    def column(self) -> Column | None:
        """Its column: its own, that of the nearest group that has one, or the only one."""
        found = [self.own_column(), *(self.header.find(tokens(text)) for text in self.headings)]
        place = next((at for at in found if at is not None), None)
        if place is None and len(self.header.columns) == 1:
            place = 0
        return None if place is None else self.header.column(place)
