"""Compiles the sentence of an SQL leaf: the parts of a query that it asks for."""

from collections.abc import Sequence
from functools import cache

from wardround.benchmarks.clinsql.checks.leaf_tokens import Token
from wardround.benchmarks.clinsql.checks.model import AllOf
from wardround.benchmarks.clinsql.checks.sql_checks import SqlCheck
from wardround.benchmarks.clinsql.checks.sql_leaf import Found, SqlLeaf, is_evidence
from wardround.benchmarks.clinsql.checks.sql_patient_rules import PATIENT_RULES
from wardround.benchmarks.clinsql.checks.sql_query_rules import STRUCTURE_RULES
from wardround.benchmarks.clinsql.checks.sql_selection_rules import SELECTION_RULES
from wardround.ehr.terms import condition_named

# Words that only a check of one of these kinds explains.
_ROLES: dict[str, tuple[str, ...]] = {
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
    # A scale that no check of a statistic states.
    "percentage percentages percent proportion fraction": (),
}
_RULES = (*PATIENT_RULES, *SELECTION_RULES, *STRUCTURE_RULES)
_NAMED = {"codes", "items", "drugs", "value_bounds"}  # kinds that a clinical name may belong to
_DENIALS = frozenset(
    [
        "not",
        "no",
        "never",
        "without",
        "except",
        "excluding",
        "regardless",
        "neither",
    ]
)
_DENIED = {"excludes_null", "age", "value_bounds"}  # kinds whose rules read denials
_LONGEST = 4


def sql_check(tokens: Sequence[Token]) -> SqlCheck | AllOf | None:
    """The check that an SQL leaf asks for; None where a part of it is in no check.

    >>> from wardround.benchmarks.clinsql.checks.leaf_tokens import tokens
    >>> sql_check(tokens("Keeps women (gender = 'F')."))
    Sex(kind='sex', value='F')
    """
    leaf = SqlLeaf(tokens)
    found: list[Found] = []
    for rule in _RULES:
        used = frozenset().union(*(each.used for each in found))
        match = rule(leaf, frozenset[str]().union(*(each.kinds for each in found)), used)
        if match:
            found.append(match)
    if not found or not _explained(leaf, found):
        return None
    checks = tuple(each.check for each in found)
    return checks[0] if len(checks) == 1 else AllOf(checks=checks)


def _explained(leaf: SqlLeaf, found: Sequence[Found]) -> bool:
    """True if the checks explain all numbers, names, role words and clinical terms."""
    used = frozenset().union(*(each.used for each in found))
    kinds = frozenset[str]().union(*(each.kinds for each in found))
    if any(is_evidence(token) and at not in used for at, token in enumerate(leaf.tokens)):
        return False
    operators = {token.text for token in leaf.tokens if token.kind == "operator"}
    if operators & {"!=", "<>"} or ("OR" in operators and len(kinds) > 1):
        return False
    if leaf.words & _DENIALS and not kinds & _DENIED:
        return False
    for words, explained_by in _ROLES.items():
        if leaf.words & set(words.split()) and not kinds & set(explained_by):
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
