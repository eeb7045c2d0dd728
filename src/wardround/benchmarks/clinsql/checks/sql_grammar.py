"""Compiles the sentence of an SQL leaf: the parts of a query that it asks for.

Each rule whose words the sentence has reads one kind of check from it. A sentence has a check only
if the checks that were read explain all of it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from wardround.benchmarks.clinsql.checks import sql_readers as readers
from wardround.benchmarks.clinsql.checks.leaf_tokens import NEGATIONS, Token, leaf_words
from wardround.benchmarks.clinsql.checks.sql_leaf import SqlLeaf, is_evidence
from wardround.benchmarks.clinsql.items.checks import AllOf, SqlCheck, single_checks
from wardround.core.packaged_data import read_rows, split_cell
from wardround.ehr.terms import condition_named


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of check that a sentence may ask for.

    Attributes:
        read: reads the check, given the tokens that others explain.
        needs: words of which the sentence has at least one; any sentence if empty.
        lacks: words of which it has none.
        unless: kinds of checks beside which there is none of this kind.
        alone: whether it is read only where no other check was.
    """

    read: Callable[[SqlLeaf, frozenset[int]], readers.Found | None]
    needs: frozenset[str]
    lacks: frozenset[str]
    unless: frozenset[str]
    alone: bool

    def applies(self, leaf: SqlLeaf, kinds: frozenset[str]) -> bool:
        """True if a sentence in which these kinds of checks were read may ask for this kind."""
        if kinds & self.unless or (kinds and self.alone):
            return False
        words = leaf.words
        return not words & self.lacks and (not self.needs or bool(words & self.needs))


_NAMED = {"codes", "items", "drugs", "value_bounds"}  # kinds that a clinical name may belong to
_DENIALS = NEGATIONS | {"except", "excluding", "regardless"}
_DENIED = {"excludes_null", "age", "value_bounds"}  # kinds whose rules read denials
_LONGEST = 4  # words of the name of a condition


def sql_check(tokens: Sequence[Token]) -> SqlCheck | AllOf | None:
    """The check that an SQL leaf asks for; None where a part of it is in no check.

    >>> from wardround.benchmarks.clinsql.checks.leaf_tokens import tokens
    >>> sql_check(tokens("Keeps women (gender = 'F')."))
    Sex(kind='sex', value='F')
    """
    leaf, used = SqlLeaf(tokens), frozenset[int]()
    checks: list[SqlCheck | AllOf] = []
    for rule in _rules():
        if rule.applies(leaf, _kinds(checks)) and (check := rule.read(leaf, used)):
            checks.append(check[0])
            used |= check[1]
    if not checks or not _is_explained(leaf, _kinds(checks), used):
        return None
    return checks[0] if len(checks) == 1 else AllOf(checks=tuple(checks))


@cache
def _rules() -> tuple[Rule, ...]:
    """The rules of sql_rules.tsv, each with the reader of its name."""
    return tuple(
        Rule(getattr(readers, kind), _words(needs), _words(lacks), _words(unless), alone == "yes")
        for kind, needs, lacks, unless, alone in read_rows(__package__, "sql_rules.tsv")
    )


def _words(cell: str) -> frozenset[str]:
    """The words of a cell; those of a concept stand for its name in braces."""
    parts = split_cell(cell)
    concepts = [leaf_words(part.strip("{}")) for part in parts if part.startswith("{")]
    return frozenset(part for part in parts if not part.startswith("{")).union(*concepts)


@cache
def _explained_words() -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    """Words, and the kinds of checks of which one has to explain them."""
    rows = read_rows(__package__, "explained_words.tsv")
    return tuple((_words(words), _words(kinds)) for words, kinds in rows)


def _kinds(checks: Sequence[SqlCheck | AllOf]) -> frozenset[str]:
    return frozenset(single.kind for check in checks for single in single_checks(check))


def _is_explained(leaf: SqlLeaf, kinds: frozenset[str], used: frozenset[int]) -> bool:
    """True if the checks explain all numbers, names, role words and clinical terms."""
    if any(is_evidence(token) and at not in used for at, token in enumerate(leaf.tokens)):
        return False
    operators = {token.text for token in leaf.tokens if token.kind == "operator"}
    if operators & {"!=", "<>"} or ("OR" in operators and len(kinds) > 1):
        return False
    if leaf.words & _DENIALS and not kinds & _DENIED:
        return False
    for words, explaining in _explained_words():
        if leaf.words & words and not kinds & explaining:
            return False
    return bool(kinds & _NAMED) or not _has_condition(leaf)


def _has_condition(leaf: SqlLeaf) -> bool:
    words = [token.text for token in leaf.tokens if token.kind == "word"]
    return any(
        _is_condition(" ".join(words[start : start + size]))
        for start in range(len(words))
        for size in range(1, _LONGEST + 1)
    )


@cache
def _is_condition(phrase: str) -> bool:
    return len(phrase) > 3 and condition_named(phrase) is not None
