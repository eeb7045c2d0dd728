"""The differences of an agent's query from the gold, by what they say of the agent."""

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, TypeAlias, TypeVar

from wardround.benchmarks.chatqa.failures.query_facts import CLOCK, Bound, QueryFacts, Result, Texts
from wardround.ehr.terms.diagnoses import formal_names_of_term
from wardround.ehr.terms.drugs import generics
from wardround.people.patterns import content_words

# clock: reads the clock of the machine. lost: lacks a condition, with nothing in its place.
# changed: another bound, role, join, result or rank. other names: lacks names of things that it
# has by another name. some things: lacks some of the gold's texts for a column. other things: lacks
# all of them. unclear: it may mean the same.
Difference: TypeAlias = Literal[
    "clock", "lost", "changed", "other names", "some things", "other things", "unclear"
]
_Condition = TypeVar("_Condition", Texts, Bound)


def query_differences(gold: QueryFacts, attempt: QueryFacts) -> list[Difference]:
    """The differences of a query from the gold; none if it means the same.

    A condition that the gold has and the query lacks is lost only if the query has no condition of
    its own that may stand for it.
    """
    differences: list[Difference] = []
    if attempt.reads_clock and not gold.reads_clock:
        differences.append("clock")
    texts, lost_texts, own_texts = _paired(gold.texts, attempt.texts, _texts_likeness)
    bounds, lost_bounds, own_bounds = _paired(gold.bounds, attempt.bounds, _bound_likeness)
    for wanted, given in texts:
        differences += _text_difference(wanted, given)
    for limit, other in bounds:
        differences += _bound_difference(limit, other)
    lost = lost_texts + lost_bounds + len(gold.present - attempt.tables)
    clocks = sum(each.value == CLOCK for each in attempt.bounds)
    clocks -= sum(other.value == CLOCK for _, other in bounds)
    own_conditions = own_texts + own_bounds - clocks + len(attempt.present - gold.tables)
    differences += ["unclear"] if own_conditions else ["lost"] * lost
    differences += _join_difference(gold, attempt)
    differences += _result_difference(gold, attempt)
    if gold.is_unclear or attempt.is_unclear:
        differences.append("unclear")
    return differences


def differs_in_logic_only(gold: QueryFacts, attempt: QueryFacts) -> bool:
    """True if a query names the same things, reads no other tables and returns as many values.

    Then only the combination can differ from the gold.
    """
    names, other_names = (
        {(each.column, each.texts, each.patterns) for each in facts.texts}
        for facts in (gold, attempt)
    )
    tables, other_tables = ({name for name, _ in facts.tables} for facts in (gold, attempt))
    values, other_values = (
        [each.aggregate or each.expression for each in facts.results] for facts in (gold, attempt)
    )
    return names == other_names and other_tables <= tables and values == other_values


def _paired(
    gold: Iterable[_Condition],
    attempt: Iterable[_Condition],
    likeness: Callable[[_Condition, _Condition], int],
) -> tuple[list[tuple[_Condition, _Condition]], int, int]:
    """Pairs conditions of the same thing, the likest first; counts those left on either side."""
    wanted, given = list(gold), list(attempt)
    ranked = sorted(
        (
            (likeness(one, other), i, j)
            for i, one in enumerate(wanted)
            for j, other in enumerate(given)
        ),
        key=lambda each: -each[0],
    )
    of_gold: set[int] = set()
    of_attempt: set[int] = set()
    pairs = []
    for alike, i, j in ranked:
        if alike and i not in of_gold and j not in of_attempt:
            of_gold.add(i)
            of_attempt.add(j)
            pairs.append((wanted[i], given[j]))
    return pairs, len(wanted) - len(pairs), len(given) - len(pairs)


def _texts_likeness(wanted: Texts, given: Texts) -> int:
    """More for the same role and more shared texts; 0 for another column."""
    if wanted.column != given.column:
        return 0
    shared = _shared(wanted, given)
    return 1000 + shared if wanted.role == given.role else shared


def _bound_likeness(wanted: Bound, given: Bound) -> int:
    """More the more is equal; 0 for bounds of different things."""
    if wanted == given:
        return 4
    if _names(wanted) == _names(given):
        return 3 if wanted.expression == given.expression else 2
    # The same limit for another column of the same table.
    limits = [(each.role, each.operator, each.value) for each in (wanted, given)]
    tables = [{name.partition(".")[0] for name in each.columns} for each in (wanted, given)]
    return int(bool(wanted.operator) and limits[0] == limits[1] and tables[0] == tables[1])


def _names(bound: Bound) -> frozenset[str]:
    """The columns of a bound; of a key, which several tables have, only the name."""
    if bound.operator == "=":
        return frozenset(each.rpartition(".")[2] for each in bound.columns)
    return bound.columns


def _shared(wanted: Texts, given: Texts) -> int:
    return sum(map(given.covers, wanted.texts | wanted.patterns))


def _text_difference(wanted: Texts, given: Texts) -> list[Difference]:
    if wanted.role != given.role:
        return ["changed"]
    texts = wanted.texts | wanted.patterns
    covered = {text for text in texts if given.covers(text)}
    if not covered:
        named = any(_is_name_of(one, other) for one in texts for other in given.texts)
        return ["other names" if named else "other things"]
    if missing := texts - covered:
        named = all(any(_is_same_thing(text, other) for other in covered) for text in missing)
        return ["other names" if named else "some things"]
    return ["unclear"] if any(not wanted.covers(each) for each in given.texts) else []


def _is_same_thing(text: str, other: str) -> bool:
    """True for names of a drug with the same ingredients, or names with a word in common."""
    shared = content_words(text) & content_words(other)
    return bool(shared) or _has_ingredients_of(text, other)


def _is_name_of(text: str, other: str) -> bool:
    """True for names of one thing: a drug, a lay word, or all words of one within the other."""
    if _has_ingredients_of(text, other):
        return True
    words, others = content_words(text), content_words(other)
    is_shorter = bool(words and others) and (words <= others or others <= words)
    return is_shorter or any(formal in text for formal in formal_names_of_term(other))


def _has_ingredients_of(text: str, other: str) -> bool:
    drug = generics(text)
    return bool(drug) and drug == generics(other)


def _bound_difference(wanted: Bound, given: Bound) -> list[Difference]:
    if given.value == CLOCK:
        return []  # a difference of the whole query
    if wanted.columns != given.columns and wanted.operator != "=":
        return ["changed"]
    if wanted.expression != given.expression:
        return ["unclear"]
    if wanted.role != given.role:
        return ["changed"]
    limit, other = wanted.value, given.value
    if (wanted.operator, limit) == (given.operator, other):
        return []
    if isinstance(limit, float) and isinstance(other, float):
        may_be_same = wanted.operator != given.operator and abs(limit - other) == 1
        return ["unclear" if may_be_same else "changed"]  # > 6 may be >= 7
    return ["changed" if type(limit) is type(other) else "unclear"]


def _join_difference(gold: QueryFacts, attempt: QueryFacts) -> list[Difference]:
    """Changed if a table is joined by no column, or by other columns than in the gold."""
    is_changed = attempt.has_unlinked or any(
        columns - attempt.links[pair]
        for pair, columns in gold.links.items()
        if pair in attempt.links
    )
    return ["changed"] if is_changed else []


def _result_difference(gold: QueryFacts, attempt: QueryFacts) -> list[Difference]:
    """The differences of the result's first column and of the ranking."""
    if not gold.results or not attempt.results:
        return ["unclear"]
    values = [_value_difference(gold.results[0], each, attempt) for each in attempt.results]
    differences: list[Difference] = [] if None in values else _clearest(values)
    if gold.ranking and gold.ranking != attempt.ranking:
        differences.append("changed")
    return differences


def _clearest(values: Sequence[Difference | None]) -> list[Difference]:
    return ["changed" if "changed" in values and "unclear" not in values else "unclear"]


def _value_difference(wanted: Result, given: Result, attempt: QueryFacts) -> Difference | None:
    if not wanted.aggregate or not given.aggregate:
        is_same = not wanted.aggregate and wanted.expression == given.expression
        return None if is_same and not given.aggregate else "unclear"
    if wanted.aggregate != given.aggregate or wanted.factor != given.factor:
        return "changed"
    if wanted.is_distinct and not given.is_distinct:
        if attempt.is_nested:
            return "unclear"
        return None if wanted.expression in attempt.single else "changed"
    if wanted.expression != given.expression:
        return "changed" if wanted.is_distinct else "unclear"
    counts_rows = not wanted.is_distinct and wanted.aggregate not in ("MIN", "MAX")
    return "changed" if counts_rows and given.tables & attempt.repeated else None
