"""Budgets: what the actions of a trial cost and how much is left."""

from dataclasses import dataclass


@dataclass(slots=True)
class Budget:
    """Units an agent may spend; a price that does not fit is refused whole.

    >>> budget = Budget(3.0)
    >>> budget.spend(2.0), budget.remaining, budget.spend(2.0), budget.remaining
    (True, 1.0, False, 1.0)
    """

    total: float
    spent: float = 0.0

    @property
    def remaining(self) -> float:
        """What is left, never below zero."""
        return self.total - self.spent

    def affords(self, price: float) -> bool:
        """Whether a price still fits."""
        return price <= self.remaining

    def spend(self, price: float) -> bool:
        """Takes the price if it fits, and tells whether it did."""
        if not self.affords(price):
            return False
        self.spent += price
        return True


@dataclass(frozen=True, slots=True)
class Limits:
    """Where a trial is cut off.

    Defaults are EHR-ChatQA's (C.2): 30 agent actions, 600 seconds in all, 60 seconds a statement.
    """

    actions: int = 30
    seconds: float = 600.0
    statement_seconds: float = 60.0
