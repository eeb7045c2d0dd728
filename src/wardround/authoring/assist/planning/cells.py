"""The cells of a suite: which scenario, tier, sequence of task types and implicit forms it holds.

Source: PhysAssistBench 3.2 and appendix G: 27 sequences, nine cells of scenario and tier, and each
implicit form equally often within each task type.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Literal, TypeAlias, cast

from wardround.benchmarks.assist.sessions import SCENARIOS, Scenario, Subtype, TaskType
from wardround.core.packaged_data import read_rows

Size: TypeAlias = Literal["suite", "full"]
Arc: TypeAlias = tuple[TaskType, TaskType, TaskType, TaskType]
# The implicit forms of the second, third and fourth turn.
Forms: TypeAlias = tuple[Subtype, Subtype, Subtype]

TIERS = (1, 2, 3)
# The scenario that takes place at the discharge; the others are ward rounds.
LEAVING: Scenario = "discharge_planning"
ARCS: tuple[Arc, ...] = tuple(
    product(("IL",), ("IL", "DG", "CR"), ("IL", "DG", "CR"), ("DG", "CR", "WU"))
)
# The rows of the Latin square of tiers. Few records are rich enough for three turns of reasoning,
# so these are sparse or moderate ones.
_SHIFTS: dict[Scenario, int] = {
    "diagnostic_workup": 1,
    "med_safety": 1,
    "treatment_response": 1,
    "discharge_planning": 2,
}


@dataclass(frozen=True, slots=True)
class Cell:
    """A session that a suite needs.

    Attributes:
        scenario: the clinical scenario.
        tier: how rich the record is: 1 sparse, 2 moderate, 3 rich.
        arc: the types of the four turns.
        forms: the implicit forms of the second to fourth turn.
    """

    scenario: Scenario
    tier: int
    arc: Arc
    forms: Forms

    @property
    def index(self) -> int:
        """The published number of its sequence of task types."""
        return ARCS.index(self.arc)


def cells(size: Size) -> Iterator[Cell]:
    """The cells of a suite: 108 with each sequence once a scenario, or 324 with each once a cell.

    Within each task type all implicit forms are equally frequent.

    >>> from collections import Counter
    >>> suite = list(cells("suite"))
    >>> len(suite), set(Counter((cell.scenario, cell.tier) for cell in suite).values())
    (108, {9})
    >>> Counter((cell.arc[3], cell.forms[2]) for cell in suite)["WU", "AE"]
    12
    """
    for number, scenario in enumerate(SCENARIOS):
        for index, arc in enumerate(ARCS):
            tiers = TIERS if size == "full" else (TIERS[_tier(index, scenario)],)
            for step, tier in enumerate(tiers):
                yield Cell(scenario, tier, arc, _forms(arc, number + index + step))


def _tier(index: int, scenario: Scenario) -> int:
    """The tier of a sequence in a scenario: a Latin square, nine sequences a tier."""
    first, second, third = index // 9, index // 3 % 3, index % 3
    return (first + second + third + _SHIFTS[scenario]) % len(TIERS)


def _forms(arc: Arc, number: int) -> Forms:
    """The implicit forms of the number-th session with a sequence; four sessions have its row."""
    row = _rows()["-".join(arc[1:])]
    return row[number % len(row)]


def usual_forms(arc: Arc) -> set[Forms]:
    """The orders of implicit forms that sessions with a sequence usually have."""
    return {*_rows()["-".join(arc[1:])]}


@cache
def _rows() -> Mapping[str, list[Forms]]:
    rows = read_rows(__package__, "forms.tsv")
    return {arc: [cast("Forms", tuple(each.split("-"))) for each in row] for arc, *row in rows}
