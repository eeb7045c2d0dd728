"""Chooses the operations and time templates of a question."""

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product
from typing import NamedTuple, TypeVar

from wardround.authoring.ehrsql.templates import QuestionTemplate, operations_for, time_choices
from wardround.authoring.ehrsql.templates.records import Records
from wardround.ehr.times import TimeTemplate
from wardround.ehr.times.model import Rank, SameVisit, Visit

Kind = TypeVar("Kind")


class Chosen(NamedTuple):
    """Names of a question's operations, and its time templates, by slot."""

    operations: Mapping[str, str]
    times: Mapping[str, TimeTemplate]


def chosen_in_turn(template: QuestionTemplate, records: Records, seed: str, number: int) -> Chosen:
    """Chooses for the `number`-th question of a template, by round robin.

    The first questions of a template cover each of its operations and each role of its times:
    none, a visit, an order of rows, any other time. Combinations, and the times of all further
    questions, are random.
    """
    operations = in_turn(_operations(template, records), f"{seed} operations", number)
    roles = _roles(tuple(template.times.items()))
    all_covered = number >= len(roles)
    choices = (
        time_choices(template.times) if all_covered else in_turn(roles, f"{seed} times", number)
    )
    return Chosen(operations, random.Random(f"{seed} times {number}").choice(choices))


def in_turn(items: Sequence[Kind], seed: str, number: int) -> Kind:
    """Returns the `number`-th item of a random order of all items, repeated in new orders.

    >>> sorted(in_turn("abc", "any", number) for number in range(3, 6))
    ['a', 'b', 'c']
    """
    cycle, position = divmod(number, len(items))
    return random.Random(f"{seed} {cycle}").sample(items, len(items))[position]


def chosen_by_chance(template: QuestionTemplate, records: Records, chance: random.Random) -> Chosen:
    """Draws operations and a permitted combination of time templates."""
    operations = chance.choice(_operations(template, records))
    return Chosen(operations, chance.choice(time_choices(template.times)))


def _operations(template: QuestionTemplate, records: Records) -> Sequence[Mapping[str, str]]:
    slots = template.operations
    combinations = product(*(operations_for(slot, records) for slot in slots))
    return [{o.slot: o.name for o in operations} for operations in combinations]


@cache
def _roles(slots: tuple[tuple[str, str], ...]) -> Sequence[Sequence[Mapping[str, TimeTemplate]]]:
    """The choices of time templates, grouped by their roles in the query."""
    by_roles = defaultdict[tuple[tuple[str, str], ...], list[Mapping[str, TimeTemplate]]](list)
    for choice in time_choices(dict(slots)):
        roles = tuple((slot, _role(template)) for slot, template in choice.items())
        by_roles[roles].append(choice)
    return list(by_roles.values())


def _role(template: TimeTemplate) -> str:
    of_rows = isinstance(template.meaning, Visit | Rank | SameVisit)
    return template.id if of_rows else template.role
