"""An SQL leaf as the grammar reads it: its tokens, and the tables and columns that it names."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from wardround.benchmarks.clinsql.checks.leaf_tokens import Token
from wardround.benchmarks.clinsql.checks.model import AllOf
from wardround.benchmarks.clinsql.checks.sql_checks import SqlCheck
from wardround.ehr.schema import load_schema


@dataclass(frozen=True, slots=True)
class Found:
    """A check, and the indices of the tokens that it explains."""

    check: SqlCheck | AllOf
    used: frozenset[int]

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of its single checks."""
        parts = self.check.checks if isinstance(self.check, AllOf) else (self.check,)
        return frozenset(part.kind for part in parts)


@dataclass(frozen=True, slots=True)
class SqlLeaf:
    """The tokens of an SQL leaf's sentence."""

    tokens: Sequence[Token]

    @property
    def words(self) -> frozenset[str]:
        """Its words, and its names in lower case."""
        return frozenset(t.text.lower() for t in self.tokens if t.kind in ("word", "name"))

    @property
    def text(self) -> str:
        """Its tokens between blanks, in lower case."""
        return f" {' '.join(token.text.lower() for token in self.tokens)} "

    def says(self, *phrases: str) -> bool:
        """True if it has one of these phrases."""
        return any(f" {phrase} " in self.text for phrase in phrases)

    def at(self, words: Iterable[str]) -> frozenset[int]:
        """The indices of tokens with one of these texts."""
        wanted = set(words)
        return frozenset(at for at, t in enumerate(self.tokens) if t.text.lower() in wanted)

    def tables(self) -> tuple[str, ...]:
        """The tables that it names, sorted."""
        return tuple(sorted({t for t in self.words if t in known_tables()}))

    def columns(self) -> tuple[str, ...]:
        """The columns of the record that it names, in order; plain words are none."""
        return tuple(
            dict.fromkeys(
                token.text.lower()
                for token in self.tokens
                if token.text.lower() in known_columns() and _is_technical(token)
            )
        )


def is_evidence(token: Token) -> bool:
    """True for a token that some check has to explain: a number, code or name of no function."""
    if token.kind in ("number", "code"):
        return True
    return token.kind == "name" and not token.text.isupper()


_TECHNICAL_WORDS = frozenset(
    [
        "valuenum",
        "insurance",
        "race",
        "gender",
        "intime",
        "outtime",
        "admittime",
        "dischtime",
        "charttime",
        "itemid",
    ]
)


def _is_technical(token: Token) -> bool:
    return token.kind == "name" or token.text.lower() in _TECHNICAL_WORDS


@cache
def known_tables() -> frozenset[str]:
    """The names of MIMIC-IV's tables."""
    return frozenset(table.name for table in load_schema("mimic_iv").tables)


@cache
def known_columns() -> frozenset[str]:
    """The names of all its columns."""
    tables = load_schema("mimic_iv").tables
    return frozenset(column.name for table in tables for column in table.columns)


# Reads a leaf, given the kinds of checks found so far and the tokens that they explain.
Rule: TypeAlias = Callable[[SqlLeaf, frozenset[str], frozenset[int]], Found | None]
