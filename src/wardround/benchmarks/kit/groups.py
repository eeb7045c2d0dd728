"""Groups of trials: by task, by label, and by any other value."""

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeAlias, TypeVar

from wardround.core.record import TrialRecord, by_task

Item = TypeVar("Item")
Key = TypeVar("Key", bound=Hashable)
Cell: TypeAlias = str | int | float | None
Trials: TypeAlias = Sequence[TrialRecord]
Groups: TypeAlias = Mapping[str, Trials]

ALL = "all"


class Labelled(Protocol):
    """A trial, or anything else with a task's labels."""

    @property
    def labels(self) -> Mapping[str, str]:
        """Labels by name."""
        ...


AnyLabelled = TypeVar("AnyLabelled", bound=Labelled)


def fewest_trials(trials: Iterable[TrialRecord]) -> int:
    """Returns the smallest number of trials of a task, with any outcome; 1 if no tasks."""
    return min(map(len, by_task(trials).values()), default=1)


def grouped_by(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    """Groups items by a key, in order of first occurrence.

    >>> grouped_by([1, 2, 3], lambda n: n % 2)
    {1: [1, 3], 0: [2]}
    """
    groups = defaultdict[Key, list[Item]](list)
    for item in items:
        groups[key(item)].append(item)
    return dict(groups)


def in_turns(groups: Iterable[Iterable[Item]]) -> list[Item]:
    """Takes an item of each group in turn, until all are there.

    >>> in_turns(["abc", "1", "xy"])
    ['a', '1', 'x', 'b', 'y', 'c']
    """
    placed = [(place, item) for group in groups for place, item in enumerate(group)]
    return [item for _, item in sorted(placed, key=lambda each: each[0])]


def named_groups(
    items: Iterable[Item], value: Callable[[Item], str], names: Mapping[str, str]
) -> dict[str, list[Item]]:
    """Groups items by value, and names the groups; values without items or name are left out.

    >>> named_groups(["b1", "a1"], lambda text: text[0], {"a": "First", "b": "Second", "c": ""})
    {'First': ['a1'], 'Second': ['b1']}
    """
    groups = grouped_by(items, value)
    return {name: groups[key] for key, name in names.items() if key in groups}


def label_groups(
    items: Iterable[AnyLabelled], label: str, order: Iterable[str] = ()
) -> dict[str, list[AnyLabelled]]:
    """Groups items by a label's value, in an order or sorted, and adds a group of all."""
    listed = list(items)
    groups = grouped_by((i for i in listed if label in i.labels), lambda i: i.labels[label])
    named = {name: groups[name] for name in list(order) or sorted(groups) if name in groups}
    return {**named, ALL: listed}


def in_natural_order(values: Iterable[str]) -> list[str]:
    """Sorts texts, comparing the numbers in them by size.

    >>> in_natural_order(["10-11", "2-3"])
    ['2-3', '10-11']
    """
    return sorted(values, key=_parts)


@dataclass(frozen=True, slots=True)
class Dimension(Generic[Item]):
    """A dimension of a breakdown.

    Attributes:
        title: its name in tables.
        values: returns an item's values; the item counts once for each of them.
        order: sorts the values into the order of the rows.
    """

    title: str
    values: Callable[[Item], Iterable[str]]
    order: Callable[[Iterable[str]], Iterable[str]] = in_natural_order


def breakdown_rows(
    items: Sequence[Item],
    dimensions: Iterable[Dimension[Item]],
    cells: Callable[[Sequence[Item]], Iterable[tuple[Cell, ...]]],
) -> tuple[tuple[Cell, ...], ...]:
    """Returns the rows of a breakdown: dimension, value, and the cells of the value's items.

    Args:
        items: the items, such as trials or each task's trials.
        dimensions: the dimensions, in the order of the rows.
        cells: computes the cells of a group, a tuple for each row.
    """
    return tuple(
        (dimension.title, value, *row)
        for dimension in dimensions
        for value, group in _groups(items, dimension)
        for row in cells(group)
    )


def label_values(label: str) -> Callable[[Labelled], list[str]]:
    """Returns a function that lists an item's value of a label, if it has the label."""
    return lambda item: [item.labels[label]] if item.labels.get(label) else []


def listed_values(label: str) -> Callable[[Labelled], list[str]]:
    """Returns a function that splits an item's comma-separated label."""
    return lambda item: [value for value in item.labels.get(label, "").split(", ") if value]


def _groups(items: Iterable[Item], dimension: Dimension[Item]) -> Iterator[tuple[str, list[Item]]]:
    pairs = [(value, item) for item in items for value in dimension.values(item)]
    groups = grouped_by(pairs, lambda pair: pair[0])
    return ((value, [item for _, item in groups[value]]) for value in dimension.order(groups))


def _parts(text: str) -> list[tuple[int, str]]:
    return [
        (int(part or 0), "") if n % 2 else (0, part)
        for n, part in enumerate(re.split(r"(\d+)", text))
    ]
