"""Recall and precision of the resources that an agent retrieved, as published."""

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TypeAlias

Ids: TypeAlias = Mapping[str, Sequence[str]]


def counted(retrieved: Ids, true: Ids) -> set[str]:
    """The retrieved ids that count: those of the true resources' types, all if there are none."""
    types = set(true) or set(retrieved)
    return {id for type in types for id in retrieved.get(type, ())}


def recall(retrieved: Ids, true: Ids) -> float | None:
    """1 if all true ids were retrieved; None if there are none and something was retrieved.

    >>> one = {"Patient": ["1"]}
    >>> recall(one, one), recall({}, {}), recall(one, {})
    (1.0, 1.0, None)
    """
    wanted, found = _all(true), counted(retrieved, true)
    if not wanted:
        return None if found else 1.0
    return float(wanted <= found)


def precision(retrieved: Ids, true: Ids) -> float | None:
    """The share of retrieved ids that are true; None if nothing was retrieved.

    >>> precision({"Patient": ["1", "2"]}, {"Patient": ["1"]}), precision({}, {})
    (0.5, 1.0)
    """
    wanted, found = _all(true), counted(retrieved, true)
    if not wanted:
        return 0.0 if found else 1.0
    return fmean(id in wanted for id in found) if found else None


def _all(ids: Ids) -> set[str]:
    return {id for several in ids.values() for id in several}
