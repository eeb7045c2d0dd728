"""Limits of a trial: its budget, actions and time."""

from dataclasses import dataclass

MOST = 1_000_000  # trials, tasks and actions
MOST_AT_ONCE = 10_000
MOST_SEED = 2**63 - 1  # what JSON and databases hold
MOST_SECONDS = 2_000_000  # 23 days, the longest time limit of a statement in PostgreSQL


@dataclass(slots=True)
class Budget:
    """Units that an agent may spend; a price above the remainder is refused.

    >>> budget = Budget(3.0)
    >>> budget.spend(2.0), budget.remaining, budget.spend(2.0), budget.remaining
    (True, 1.0, False, 1.0)
    """

    total: float
    spent: float = 0.0

    @property
    def remaining(self) -> float:
        """Units left, never below zero."""
        return self.total - self.spent

    def affords(self, price: float) -> bool:
        """True if the price is covered."""
        return price <= self.remaining

    def spend(self, price: float) -> bool:
        """Spends the price if it is covered; False if it is not."""
        if not self.affords(price):
            return False
        self.spent += price
        return True


@dataclass(frozen=True, slots=True)
class Limits:
    """Most actions and seconds of a trial, and seconds of a statement.

    Defaults as in Lee et al. 2025, C.2.
    """

    actions: int = 30
    seconds: float = 600.0
    statement_seconds: float = 60.0
