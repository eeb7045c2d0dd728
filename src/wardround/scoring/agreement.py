"""Agreement of two raters who decide the same items."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

Item = TypeVar("Item", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement of two raters.

    Attributes:
        items: Number of items that both decided.
        agreed: Number of items on which they agree.
        kappa: Cohen's kappa; None if it is not defined.
    """

    items: int
    agreed: int
    kappa: float | None

    @property
    def share(self) -> float | None:
        """The share of items on which they agree; None without items."""
        return self.agreed / self.items if self.items else None


def agreement(first: Mapping[Item, bool], second: Mapping[Item, bool]) -> Agreement:
    """The agreement of two raters on the items that both decided.

    >>> agreement({"a": True, "b": False, "c": True}, {"a": True, "b": False})
    Agreement(items=2, agreed=2, kappa=1.0)
    """
    pairs = [(first[item], second[item]) for item in first if item in second]
    agreed = sum(one == another for one, another in pairs)
    return Agreement(len(pairs), agreed, cohens_kappa(pairs))


def cohens_kappa(pairs: Sequence[tuple[bool, bool]]) -> float | None:
    """Cohen's kappa: agreement beyond chance, as a share of the greatest possible (Cohen 1960).

    None without pairs, or if both raters give every item the same decision, where agreement by
    chance is certain.

    >>> cohens_kappa([(True, True), (True, False), (False, False), (False, True)])
    0.0
    """
    total = len(pairs)
    agreed = sum(first == second for first, second in pairs)
    firsts = sum(first for first, _ in pairs)
    seconds = sum(second for _, second in pairs)
    # Counts, not shares, so that perfect agreement is exactly 1.
    by_chance = firsts * seconds + (total - firsts) * (total - seconds)
    greatest = total * total - by_chance
    return (total * agreed - by_chance) / greatest if greatest else None
