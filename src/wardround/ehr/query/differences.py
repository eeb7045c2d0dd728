"""Names what two queries do not share, as data and in words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import groupby, product
from typing import TypeAlias

from wardround.ehr.query.condition_words import condition_words
from wardround.ehr.query.model import Condition, Query, Relation
from wardround.ehr.query.normal_form import choices, normal_form
from wardround.ehr.query.to_words import goal_words

_Path: TypeAlias = tuple[str, ...]

_PLAIN = Condition("")
_NAMES = {
    "of": "subject",
    "per": "totals",
    "by": "group",
    "by_person": "group",
    "base": "records",
    "costs_of": "costs",
    "ordered_by": "order",
    "also": "further columns",
    "containing": "parts of names",
    "measured": "measure",
    "periods": "time",
    "is_in_icu": "ICU",
    "is_negated": "negation",
    "at": "end of the stay",
    "by_day": "same day",
}


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that two queries do not share.

    Attributes:
        path: Where it is: "goal" and a field, or "conditions" (of a share also "part"), with a
            field of a condition that both have. The path of a field in one of several choices
            begins with "alternatives", that of an anchor with "relation" and "anchor".
        first, second: The value in each query; None for a condition that it lacks.
        words: The goal or condition of each query in words.
    """

    path: tuple[str, ...]
    first: object
    second: object
    words: tuple[str, str]

    @property
    def reversed(self) -> "Difference":
        """The same difference, of the queries in the other order."""
        return Difference(self.path, self.second, self.first, self.words[::-1])


def differences(first: Query, second: Query) -> tuple[Difference, ...]:
    """The differences of two queries; none if they ask the same in other spellings.

    The order of conditions does not count. One that both have is compared field by field, others
    are named as a whole.

    >>> from wardround.ehr.query import Goal
    >>> patients, stays = Query(Goal("count"), ()), Query(Goal("count", "admission"), ())
    >>> [(each.path, each.first, each.second) for each in differences(patients, stays)]
    [(('goal', 'of'), 'patient', 'admission')]
    """
    one, other = normal_form(first), normal_form(second)
    compared = _Comparison(one, other)
    return (
        *compared.goals(),
        *compared.conditions(("conditions",), one.conditions, other.conditions),
        *compared.conditions(("part",), one.part, other.part),
    )


def difference_words(differences: Sequence[Difference]) -> tuple[str, ...]:
    """A sentence on each goal or condition that two queries do not share.

    >>> from wardround.ehr.query import Goal
    >>> patients, stays = Query(Goal("count"), ()), Query(Goal("count", "admission"), ())
    >>> difference_words(differences(patients, stays))
    ("The subject differs: 'Count of patients.' against 'Count of hospital stays.'",)
    """
    return tuple(
        _sentence(tuple(same)) for _, same in groupby(differences, lambda each: each.words)
    )


def _sentence(differences: Sequence[Difference]) -> str:
    first, second = differences[0].words
    if not first or not second:
        return f"Only in the {'first' if first else 'second'}: {first or second}"
    names = dict.fromkeys(_NAMES.get(each.path[-1], each.path[-1]) for each in differences)
    verb = "differs" if len(names) == 1 else "differ"
    return f"The {' and '.join(names)} {verb}: '{first}' against '{second}'"


class _Comparison:
    def __init__(self, first: Query, second: Query) -> None:
        self._first, self._second = first, second

    def goals(self) -> Iterator[Difference]:
        """The fields in which the goals differ."""
        goals = self._first.goal, self._second.goal
        words = goal_words(goals[0]), goal_words(goals[1])
        for path, first, second in _in_fields(("goal",), *goals):
            yield Difference(path, first, second, words)

    def conditions(
        self, path: _Path, first: Sequence[Condition], second: Sequence[Condition]
    ) -> Iterator[Difference]:
        """The conditions that only one query has, and the fields in which others differ."""
        for one, other in _pairs(first, second):
            words = self._words(one, self._first), self._words(other, self._second)
            if one and other:
                for at, left, right in _in_condition(path, one, other):
                    yield Difference(at, left, right, words)
            else:
                yield Difference(path, one, other, words)

    def _words(self, condition: Condition | None, query: Query) -> str:
        return condition_words(condition, query) if condition else ""


_Found: TypeAlias = Iterator[tuple[_Path, object, object]]


def _in_condition(path: _Path, first: Condition, second: Condition) -> _Found:
    of_first, of_second = choices(first), choices(second)
    if len(of_first) == len(of_second) == 1:
        yield from _in_fields(path, first, second)
        return
    path = (*path, "alternatives")
    for one, other in _pairs(of_first, of_second):
        if one and other:
            yield from _in_fields(path, one, other)
        else:
            yield path, one, other


def _in_fields(path: _Path, first: object, second: object) -> _Found:
    """The fields in which two goals, relations or single conditions differ."""
    for each in fields(first):  # type: ignore[arg-type]
        one, other = getattr(first, each.name), getattr(second, each.name)
        at = (*path, each.name)
        if one == other or each.name == "alternatives":
            continue
        if isinstance(one, Relation) and isinstance(other, Relation):
            yield from _in_fields(at, one, other)
        elif isinstance(one, Condition) and isinstance(other, Condition):
            yield from _in_condition(at, one, other)
        else:
            yield at, one, other


_Pair: TypeAlias = tuple[Condition | None, Condition | None]


def _pairs(first: Sequence[Condition], second: Sequence[Condition]) -> Iterator[_Pair]:
    """The conditions that are not in both: the most alike together, others by themselves."""
    left = [each for each in first if each not in second]
    right = [each for each in second if each not in first]
    alike = [pair for pair in product(left, right) if _are_alike(*pair)]
    for one, other in sorted(alike, key=_distance):
        if one in left and other in right:
            left.remove(one)
            right.remove(other)
            yield one, other
    yield from ((each, None) for each in left)
    yield from ((None, each) for each in right)


def _distance(pair: tuple[Condition, Condition]) -> tuple[int, list[str]]:
    """The number of differences; the texts make the order that of either query."""
    return len(list(_in_condition((), *pair))), sorted(map(repr, pair))


def _are_alike(first: Condition, second: Condition) -> bool:
    return any(_share_a_field(*pair) for pair in product(choices(first), choices(second)))


def _share_a_field(first: Condition, second: Condition) -> bool:
    """True for the same kind of record with one more field in common, or one difference in all."""
    names = [each.name for each in fields(Condition)]
    differing = [name for name in names if getattr(first, name) != getattr(second, name)]
    common = [n for n in names if n not in differing and n not in ("kind", "scope")]
    stated = [name for name in common if getattr(first, name) != getattr(_PLAIN, name)]
    return len(differing) <= 1 or (first.kind == second.kind and bool(stated))
