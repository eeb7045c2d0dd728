"""Trades of implicit forms between cells, which leave those of each task type as they are.

Source: PhysAssistBench, appendix H.3 (the form that is feasible and rarest so far); here the sum is
exact at each step, so the last cells need no forms that their patients do not allow.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import permutations, product
from typing import Any, TypeAlias

from wardround.authoring.assist.planning.cells import Cell, Forms, usual_forms

# Cells that change their forms, with these.
Trades: TypeAlias = dict[int, Forms]

# The place of a type's form in a sum of forms: one byte each, which no scenario's cells exceed.
_PLACES = {
    pair: 1 << 8 * place
    for place, pair in enumerate(product(("IL", "DG", "CR", "WU"), ("NA", "PE", "AE")))
}


@dataclass
class FormPlan:
    """The implicit forms of the cells of a scenario, of which all are equally frequent in a type.

    Attributes:
        cells: the cells by number, with the forms of their sessions or those that are planned.
        filled: the numbers of the cells that have a session.
    """

    cells: dict[int, Cell]
    filled: set[int] = field(default_factory=set)

    def offers(self, number: int) -> list[Cell]:
        """A cell with each order of forms that others can make up for, the planned one first."""
        cell = self.cells[number]
        others = (each for each in _other_orders(cell) if self._trades(number, each) is not None)
        return [cell, *(replace(cell, forms=each) for each in others)]

    def take(self, number: int, forms: Forms) -> None:
        """Gives a cell the forms of its session; empty cells make up for them.

        Raises:
            ValueError: They cannot.
        """
        trades = self._trades(number, forms)
        if trades is None:
            raise ValueError(f"No cells make up for the forms {forms} of cell {number}.")
        for each, traded in {number: forms, **trades}.items():
            self.cells[each] = replace(self.cells[each], forms=traded)
        self.filled.add(number)

    def swaps(self, number: int, empty: int, tried: Collection[Forms]) -> dict[Forms, Forms]:
        """The orders of a cell for which an empty one alone makes up, by an order it has not tried.

        Returns:
            The forms of the empty cell by those of the other.
        """
        cell, other = self.cells[empty], self.cells[number]
        total = _sum(cell) + _sum(other)
        return {
            forms: own
            for forms, own in product(_other_orders(other), _other_orders(cell))
            if own not in tried
            and _sum(replace(other, forms=forms)) + _sum(replace(cell, forms=own)) == total
        }

    def plan(self, number: int, forms: Forms) -> None:
        """Plans the forms of a cell, for which another one makes up."""
        self.cells[number] = replace(self.cells[number], forms=forms)

    def _trades(self, number: int, forms: Forms) -> Trades | None:
        """The changes of at most two empty cells that make up for the forms of a cell; or None."""
        cell = self.cells[number]
        missing = _sum(cell) - _sum(replace(cell, forms=forms))
        if not missing:
            return {}
        changes = self._changes(number)
        if missing in changes:
            return dict(changes[missing][:1])
        for first, cells in changes.items():
            others = changes.get(missing - first, [])
            if both := next(_distinct(cells, others), None):
                return dict(both)
        return None

    def _changes(self, number: int) -> dict[int, list[tuple[int, Forms]]]:
        """The usual orders of other empty cells, by the change of the sum that each makes."""
        changes: dict[int, list[tuple[int, Forms]]] = defaultdict(list)
        for each, cell in self.cells.items():
            if each != number and each not in self.filled:
                for forms in sorted(usual_forms(cell.arc) - {cell.forms}):
                    changes[_sum(replace(cell, forms=forms)) - _sum(cell)].append((each, forms))
        return dict(changes)


def forms_of(line: Mapping[str, Any]) -> Forms:
    """The implicit forms of a session, from its line."""
    second, third, fourth = line["turn_subtypes"][1:]
    return second, third, fourth


def _distinct(
    first: Iterable[tuple[int, Forms]], second: Iterable[tuple[int, Forms]]
) -> Iterator[tuple[tuple[int, Forms], tuple[int, Forms]]]:
    """The pairs of changes of two cells."""
    return ((a, b) for a, b in product(first, second) if a[0] != b[0])


def _other_orders(cell: Cell) -> Iterator[Forms]:
    """The forms of a cell in other orders; the second turn is not abstract."""
    for forms in permutations(cell.forms, 3):
        if forms != cell.forms and forms[0] != "AE":
            yield forms


def _sum(cell: Cell) -> int:
    """The forms of a cell's types as a number; equal sums have the same forms of each type."""
    return sum(_PLACES[pair] for pair in zip(cell.arc[1:], cell.forms, strict=True))
