"""Compiles the sentence of an SQL leaf: the parts of a query that it asks for.

Each rule whose words the sentence has reads one kind of check from it. A sentence has a check only
if the checks that were read explain all of it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from wardround.benchmarks.clinsql.checks import sql_readers as readers
from wardround.benchmarks.clinsql.checks.leaf_tokens import NEGATIONS, Token, words
from wardround.benchmarks.clinsql.checks.sql_leaf import SqlLeaf, is_evidence
from wardround.benchmarks.clinsql.items.checks import AllOf, SqlCheck, single_checks
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
    needs: frozenset[str] = frozenset()
    lacks: frozenset[str] = frozenset()
    unless: frozenset[str] = frozenset()
    alone: bool = False

    def applies(self, leaf: SqlLeaf, kinds: frozenset[str]) -> bool:
        """True if a sentence in which these kinds of checks were read may ask for this kind."""
        if kinds & self.unless or (kinds and self.alone):
            return False
        words = leaf.words
        return not words & self.lacks and (not self.needs or bool(words & self.needs))


# In the order in which checks stand in a leaf of several.
_RULES = (
    Rule(readers.sex, needs=readers.WOMEN | readers.MEN),
    Rule(readers.age, needs=readers.AGES | words("old older younger")),
    Rule(readers.window, needs=words("first within after last before window initial")),
    Rule(readers.stay, needs=words("first earliest last latest"), unless=words("window age")),
    # A rate of deaths is a measure.
    Rule(readers.survival, lacks=words("rate proportion percentage share count number flags")),
    Rule(readers.items, needs=words("itemid itemids item items")),
    Rule(readers.codes),
    Rule(readers.drugs, needs=words("drug drugs medication medications prescriptions")),
    Rule(
        readers.value_bounds,
        needs=words("plausible implausible outliers physiologic physiological valuenum"),
        unless=words("age items"),
    ),
    Rule(readers.cohort, needs=words("cohort"), alone=True),
    Rule(readers.join),
    Rule(readers.group_by),
    Rule(readers.rounding, needs=words("round rounds rounded rounding")),
    Rule(readers.distinct, needs=words("distinct unique")),
    Rule(readers.excludes_null, needs=words("null nulls")),
    Rule(readers.measure, lacks=words("score rank ratio index change"), alone=True),
    Rule(
        readers.tables,
        needs=words("uses use table tables read reads from references queries accesses"),
        alone=True,
    ),
)
# Words that only a check of one of these kinds explains.
_EXPLAINED_BY: dict[str, tuple[str, ...]] = {
    "diagnosis diagnoses diagnosed icd": ("codes", "join", "tables", "group_by"),
    "code codes": ("codes",),
    "drug drugs medication medications prescribed receiving": ("drugs", "join", "tables"),
    "itemid itemids": ("items",),
    "score rank ranked ranking ratio composite index": ("measure",),
    "hours h": ("window", "measure"),
    "quartile quartiles percentile percentiles": ("measure",),
    "null nulls": ("excludes_null",),
    "grouped": ("group_by",),
    "distinct unique": ("distinct",),
    "survived survivors died deceased": ("survival",),
    "aged age ages": ("age",),
    "rounded rounds": ("rounding",),
    # Words of a scale for which there is no check of a statistic.
    "percentage percentages percent proportion fraction": (),
}
_NAMED = words("codes items drugs value_bounds")  # kinds that a clinical name may belong to
_DENIALS = NEGATIONS | words("except excluding regardless")
_DENIED = words("excludes_null age value_bounds")  # kinds whose rules read denials
_LONGEST = 4  # words of the name of a condition


def sql_check(tokens: Sequence[Token]) -> SqlCheck | AllOf | None:
    """The check that an SQL leaf asks for; None where a part of it is in no check.

    >>> from wardround.benchmarks.clinsql.checks.leaf_tokens import tokens
    >>> sql_check(tokens("Keeps women (gender = 'F')."))
    Sex(kind='sex', value='F')
    """
    leaf, used = SqlLeaf(tokens), frozenset[int]()
    checks: list[SqlCheck | AllOf] = []
    for rule in _RULES:
        if rule.applies(leaf, _kinds(checks)) and (check := rule.read(leaf, used)):
            checks.append(check[0])
            used |= check[1]
    if not checks or not _is_explained(leaf, _kinds(checks), used):
        return None
    return checks[0] if len(checks) == 1 else AllOf(checks=tuple(checks))


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
    for word, explained_by in _EXPLAINED_BY.items():
        if leaf.words & words(word) and not kinds & set(explained_by):
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
