"""Scores, their parts, and the points of values that may be unknown."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import ge, gt, le, lt

_TESTS: dict[str, Callable[[float, float], bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge}


@dataclass(frozen=True, slots=True)
class Points:
    """The fewest and the most points that what is known allows."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a score.

    Attributes:
        name: its name.
        values: the inputs that it was computed from, by name; None for an unknown one.
        points: its points.
    """

    name: str
    values: Mapping[str, float | None]
    points: Points

    @property
    def missing(self) -> bool:
        """True if an unknown value could change its points, or all its values are unknown."""
        unknown = all(value is None for value in self.values.values())
        return unknown or self.points.low != self.points.high


@dataclass(frozen=True, slots=True)
class Score:
    """A computed score.

    Attributes:
        name: its name.
        version: the authors and year of the table.
        parts: its parts.
        low: the least result that the unknown values allow.
        high: the greatest.
        assumed: the result with missing parts counted 0; None if the formula then has none.
    """

    name: str
    version: str
    parts: tuple[Part, ...]
    low: float
    high: float
    assumed: float | None


def strict(score: Score) -> tuple[float, float]:
    """The bounds of a score; equal where it is decided."""
    return score.low, score.high


def paper(score: Score) -> float | None:
    """The score with missing parts counted 0."""
    return score.assumed


def summed(name: str, version: str, parts: tuple[Part, ...]) -> Score:
    """The score that is the sum of its parts."""
    low, high = (sum(getattr(part.points, end) for part in parts) for end in ("low", "high"))
    return Score(name, version, parts, low, high, sum(known_points(part) for part in parts))


def known_points(part: Part) -> float:
    """The points of a part as far as known; 0 if nothing is."""
    return 0 if all(value is None for value in part.values.values()) else part.points.low


def graded(
    value: float | None, test: str, limits: tuple[float, ...], points: tuple[float, ...]
) -> Points:
    """The points of a value: of the last limit that it passes, else the first points.

    Args:
        value: the value.
        test: the comparison with a limit: "<", "<=", ">" or ">=".
        limits: the limits, from the mildest.
        points: the points before the first limit and after each.

    >>> graded(90, "<", (150, 100, 50, 20), (0, 1, 2, 3, 4))
    Points(low=2, high=2)
    """
    if value is None:
        return Points(min(points), max(points))
    reached = points[sum(_TESTS[test](value, limit) for limit in limits)]
    return Points(reached, reached)


def flag(value: bool | None, points: float = 1) -> Points:
    """The points of a finding that is present, absent or unknown."""
    return Points(0, points) if value is None else Points(points * value, points * value)


def worst(*alternatives: Points) -> Points:
    """The points of the worst of alternative criteria."""
    return Points(max(each.low for each in alternatives), max(each.high for each in alternatives))
