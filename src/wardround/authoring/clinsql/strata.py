"""Strata that anchors are spread over (3.1): age, condition, utilisation, acuity and window."""

from collections import Counter
from collections.abc import Iterable
from random import Random
from typing import NamedTuple, TypeAlias

AGES = range(25, 86)
_DECADE = 10
_OLDEST = (AGES[-1] - AGES.start) // _DECADE - 1
# Kinds of admission by a part of their recorded type.
_ADMISSIONS = (
    ("EMER", "emergency"),
    ("URGENT", "urgent"),
    ("OBSERVATION", "observation"),
    ("ELECTIVE", "elective"),
    ("SAME DAY", "elective"),
)
# The dimension that the question decides.
WINDOW = "window"
# Uses of each stratum, by dimension and name.
Uses: TypeAlias = Counter[tuple[str, str]]


class AnchorStratum(NamedTuple):
    """The stratum of an anchor in each dimension that the patient decides.

    Attributes:
        age: Ten years of age.
        condition: The category of the condition that a question asks about.
        utilisation: The kind of admission, and if it is the first of the patient.
        acuity: Ward or intensive care.
    """

    age: str
    condition: str
    utilisation: str
    acuity: str


def age_stratum(age: int) -> str:
    """The decade of an age; the last one has eleven years.

    >>> age_stratum(64), age_stratum(85)
    ('55 to 64', '75 to 85')
    """
    index = min((age - AGES.start) // _DECADE, _OLDEST)
    first = AGES.start + _DECADE * index
    return f"{first} to {AGES[-1] if index == _OLDEST else first + _DECADE - 1}"


def admission_kind(recorded: str) -> str:
    """The kind of a recorded type of admission; "unknown" of another one.

    >>> [admission_kind(t) for t in ("EW EMER.", "EU OBSERVATION", "SURGICAL SAME DAY ADMISSION")]
    ['emergency', 'observation', 'elective']
    >>> admission_kind("Inpatient Visit")
    'unknown'
    """
    text = recorded.upper()
    return next((kind for part, kind in _ADMISSIONS if part in text), "unknown")


def window_stratum(hours: int | None) -> str:
    """The window of time in which events count.

    >>> window_stratum(24), window_stratum(None)
    ('first 24 hours', 'whole stay')
    """
    return f"first {hours} hours" if hours else "whole stay"


def least_used(random: Random, dimension: str, names: Iterable[str], uses: Uses) -> str:
    """A name at random, the likelier the less often it was used.

    >>> least_used(Random(0), "age", ["old", "young"], Counter({("age", "old"): 10**6}))
    'young'
    """
    options = sorted(set(names))
    weights = [1 / (1 + uses[dimension, name]) ** 3 for name in options]
    return random.choices(options, weights)[0]
