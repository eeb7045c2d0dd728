"""An SQL leaf as the grammar reads it: its tokens, and the tables and columns that it names."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from wardround.benchmarks.clinsql.checks.leaf_tokens import Token, leaf_words
from wardround.benchmarks.clinsql.layouts import published_columns, published_tables

# Columns whose names are plain words to a tokenizer.
_TECHNICAL_WORDS = leaf_words("record column")


@dataclass(frozen=True, slots=True)
class SqlLeaf:
    """The tokens of an SQL leaf's sentence."""

    tokens: Sequence[Token]

    @property
    def words(self) -> frozenset[str]:
        """Its words, and its names in lower case."""
        return frozenset(t.text.lower() for t in self.tokens if t.kind in ("word", "name"))

    @property
    def texts(self) -> list[str]:
        """The texts of its tokens, in lower case."""
        return [token.text.lower() for token in self.tokens]

    def says(self, *phrases: str) -> bool:
        """True if it has one of these phrases."""
        text = f" {' '.join(self.texts)} "
        return any(f" {phrase} " in text for phrase in phrases)

    def at(self, texts: Iterable[str]) -> frozenset[int]:
        """The indices of tokens with one of these texts."""
        wanted = set(texts)
        return frozenset(at for at, text in enumerate(self.texts) if text in wanted)

    def numbers(self, used: frozenset[int]) -> Iterator[int]:
        """The indices of its numbers that no check explains."""
        return (at for at, t in enumerate(self.tokens) if t.is_number and at not in used)

    def tables(self) -> tuple[str, ...]:
        """The tables that it names, sorted."""
        return tuple(sorted(self.words & published_tables()))

    def columns(self) -> tuple[str, ...]:
        """The columns of the record that it names, in order; plain words are none."""
        named = (t.text.lower() for t in self.tokens if _is_technical(t))
        return tuple(dict.fromkeys(name for name in named if name in published_columns()))


def is_evidence(token: Token) -> bool:
    """True for a token that some check has to explain: a number, code or name of no function."""
    if token.kind in ("number", "code"):
        return True
    return token.kind == "name" and not token.text.isupper()


def _is_technical(token: Token) -> bool:
    return token.kind == "name" or token.text.lower() in _TECHNICAL_WORDS
