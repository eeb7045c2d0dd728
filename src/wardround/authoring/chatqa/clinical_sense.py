"""Pairs that belong together clinically: two sources that know nothing of each other agree.

The sources are the packaged files of drug classes, of conditions and of tests, the stems of
nonproprietary names, and the records, where the two have to meet more often than by chance.
"""

from collections.abc import Collection, Sequence
from math import comb

from wardround.authoring.chatqa.spoken_values import SpokenValue
from wardround.ehr.terms.classes import DrugClass, classes_for
from wardround.ehr.terms.conditions import Condition, condition_named, conditions
from wardround.ehr.terms.labs import Lab

_CHANCE = 0.05
_STEM = 4  # letters, as in "-pril"


def treatments(condition: Condition) -> tuple[DrugClass, ...]:
    """The drug classes that both files name for a condition."""
    listed = {*condition.first_line, *condition.alternatives}
    groups = {group.name: group for name in condition.names for group in classes_for(name)}
    return tuple(group for name, group in groups.items() if name in listed)


def disputed_treatments(condition: Condition) -> tuple[str, ...]:
    """The names of the drug classes that only one of the files names for a condition."""
    listed = {*condition.first_line, *condition.alternatives}
    groups = {group.name for name in condition.names for group in classes_for(name)}
    return tuple(sorted(listed ^ groups))


def treating_drugs(
    drugs: Sequence[SpokenValue], illness: SpokenValue, stays: int
) -> list[SpokenValue]:
    """The drugs for an illness by both files, and by the records as they or their like are used.

    The likes of a drug are those of its class with the same stem: a class may have members for
    different illnesses, such as potassium and calcium.
    """
    condition = condition_named(illness.name)
    groups = treatments(condition) if condition else ()
    used = {each.name for each in drugs if meet(each, illness, stays)}
    return [
        drug
        for drug in drugs
        for group in groups
        if drug.name in group.members
        and any(name in group.members and share_stem(drug.name, name) for name in used)
    ]


def are_related(one: SpokenValue, two: SpokenValue, stays: int) -> bool:
    """True if the terms relate two illnesses, and stays have both more than by chance."""
    named = (condition_named(one.name), two.name), (condition_named(two.name), one.name)
    is_listed = any(c and name in (*c.complications, *c.related) for c, name in named)
    return is_listed and meet(one, two, stays)


def assess_the_same(one: Lab, two: str) -> bool:
    """True if a test is an alternative to another, and both are for one condition."""
    listed = any(one.name in each.labs and two in each.labs for each in conditions())
    return two in one.alternatives and listed


def share_stem(one: str, two: str) -> bool:
    """True if two nonproprietary names end alike, like names of one class.

    >>> share_stem("lisinopril", "enalapril"), share_stem("lisinopril", "warfarin")
    (True, False)
    """
    return one[-_STEM:] == two[-_STEM:]


def meet(one: SpokenValue, two: SpokenValue, stays: int) -> bool:
    """True if more of the stays have both values than by chance."""
    return is_above_chance(one.stays, two.stays, stays)


def is_above_chance(one: Collection[str], two: Collection[str], total: int) -> bool:
    """True if two sets share more than chance explains, by the hypergeometric distribution.

    >>> is_above_chance({"a", "b", "c"}, {"a", "b", "c"}, 30), is_above_chance({"a"}, {"a"}, 2)
    (True, False)
    """
    both, first, second = len(set(one) & set(two)), len(one), len(two)
    shared = range(both, min(first, second) + 1)
    ways = sum(comb(first, n) * comb(total - first, second - n) for n in shared)
    return ways < _CHANCE * comb(total, second)
