"""Recall and precision of the resources that an agent retrieved, as published."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import TypeAlias

Ids: TypeAlias = Mapping[str, Sequence[str]]


def counted(retrieved: Ids, true: Ids) -> list[str]:
    """The retrieved ids of the types that the truth names, each as often as it was retrieved."""
    return [id for type in true for id in retrieved.get(type, ())]


def recall(retrieved: Ids, true: Ids) -> float | None:
    """1 if all true ids were retrieved; None if there are none and something was retrieved.

    >>> one = {"Patient": ["1"]}
    >>> recall(one, one), recall({}, {}), recall(one, {}), recall(one, {"Patient": []})
    (1.0, 1.0, 1.0, None)
    """
    wanted, retrieved_ids = _all(true), set(counted(retrieved, true))
    if not wanted:
        return None if retrieved_ids else 1.0
    return float(wanted <= retrieved_ids)


def precision(retrieved: Ids, true: Ids) -> float | None:
    """The share of retrieved ids that are true; None if only the truth has some.

    >>> precision({"Patient": ["1", "2", "2"]}, {"Patient": ["2"]}), precision({"Flag": ["1"]}, {})
    (0.6666666666666666, 1.0)
    """
    wanted, retrieved_ids = _all(true), counted(retrieved, true)
    if not wanted:
        return 0.0 if retrieved_ids else 1.0
    return fmean(id in wanted for id in retrieved_ids) if retrieved_ids else None


def harmonic_mean(precisions: Iterable[float | None], recalls: Iterable[float | None]) -> float:
    """F1 of the means of those that are defined.

    >>> harmonic_mean([1.0, None], [0.5, 0.5])
    0.6666666666666666
    """
    means = [[each for each in some if each is not None] for some in (precisions, recalls)]
    first, second = (fmean(some) if some else 0.0 for some in means)
    return 2 * first * second / (first + second) if first + second else 0.0


def _all(ids: Ids) -> set[str]:
    return {id for several in ids.values() for id in several}
