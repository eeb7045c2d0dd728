"""Breakdowns by dimension and value."""

from dataclasses import dataclass, field

from wardround.benchmarks.kit.groups import (
    Cell,
    Dimension,
    breakdown_rows,
    label_values,
    listed_values,
)


@dataclass(frozen=True)
class Item:
    size: int
    labels: dict[str, str] = field(default_factory=dict)


ITEMS = [
    Item(1, {"ward": "B10", "drugs": "a, b"}),
    Item(2, {"ward": "B2", "drugs": "b"}),
    Item(4),
]


def sums(group: "list[Item] | tuple[Item, ...]") -> list[tuple[Cell, ...]]:
    return [(sum(item.size for item in group), len(group))]


def test_values_are_in_natural_order_without_items_that_have_none() -> None:
    dimension: Dimension[Item] = Dimension("Ward", label_values("ward"))
    rows = breakdown_rows(ITEMS, [dimension], lambda group: sums(list(group)))
    assert rows == (("Ward", "B2", 2, 1), ("Ward", "B10", 1, 1))


def test_item_with_several_values_counts_for_each() -> None:
    dimension: Dimension[Item] = Dimension("Drug", listed_values("drugs"), sorted)
    rows = breakdown_rows(ITEMS, [dimension], lambda group: sums(list(group)))
    assert rows == (("Drug", "a", 1, 1), ("Drug", "b", 3, 2))
