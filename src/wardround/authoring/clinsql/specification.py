"""Specifications of questions, from which query, question, mapping and rubrics are made."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Level: TypeAlias = Literal["easy", "medium", "hard"]
Convention: TypeAlias = Literal["anchor", "admission"]
# A value of each stay: read from events, or from the stay itself.
Statistic: TypeAlias = Literal[
    "mean",
    "lowest",
    "highest",
    "first",
    "count",
    "share",
    "days",
    "length_of_stay",
    "readmissions",
]
# The measures over all stays together.
Summary: TypeAlias = Literal[
    "patients", "average", "mortality", "spread", "burden", "quartiles", "strata"
]


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition as LIKE patterns of codes in both versions of ICD."""

    name: str
    icd9: tuple[str, ...]
    icd10: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Concept:
    """A sign, test, drug or procedure as rows of a table of events.

    Attributes:
        name: The stem of names of columns.
        words: Its name in a sentence.
        table: The table of its events.
        items: Their item ids.
        patterns: LIKE patterns of lower-case names of drugs.
        unit: The unit of a value.
        plausible: Bounds of a plausible value.
        above: The upper limit of normal, where high values are of interest.
        below: The lower limit of normal, where low values are.
    """

    name: str
    words: str
    table: str
    items: tuple[int, ...] = ()
    patterns: tuple[str, ...] = ()
    unit: str = ""
    plausible: tuple[float, float] = (0, 100_000)
    above: float | None = None
    below: float | None = None

    @property
    def time(self) -> str:
        """The column of an event's time."""
        return "charttime" if self.table in ("labevents", "chartevents") else "starttime"

    @property
    def has_values(self) -> bool:
        """True if its events are measurements."""
        return self.time == "charttime"


@dataclass(frozen=True, slots=True)
class CohortSpec:
    """The patients that a question is about; None leaves a condition out.

    Attributes:
        sex: F or M.
        ages: The first and the last age.
        convention: The age in the anchor year, or at admission.
        condition: A diagnosis of the hospital stay.
        icu: True if only stays in intensive care count, each by itself.
    """

    sex: Literal["F", "M"] | None
    ages: tuple[int, int] | None
    convention: Convention
    condition: Condition | None
    icu: bool = False

    @property
    def key(self) -> str:
        """The column that names a stay."""
        return "stay_id" if self.icu else "hadm_id"

    @property
    def start(self) -> str:
        """The column of a stay's beginning."""
        return "intime" if self.icu else "admittime"


@dataclass(frozen=True, slots=True)
class QuestionSpec:
    """A question.

    Attributes:
        scenario: As published.
        level: easy, medium or hard, by the structure of its query.
        cohort: The patients.
        statistic: The value of each stay.
        summary: What is said of all stays.
        concept: The events of the value; None if it is read from the stay.
        hours: The window after the stay's beginning in which events count; None for all.
    """

    scenario: str
    level: Level
    cohort: CohortSpec
    statistic: Statistic
    summary: Summary
    concept: Concept | None = None
    hours: int | None = None

    @property
    def value(self) -> str:
        """The name of the column that holds the value of a stay."""
        if self.concept is None:
            return self.statistic
        suffix = {"count": "count", "share": "abnormal_percent", "days": "days"}
        if self.statistic in suffix:
            return f"{self.concept.name}_{suffix[self.statistic]}"
        return f"{self.statistic}_{self.concept.name}"

    @property
    def is_staged(self) -> bool:
        """True if the query has stages before its last SELECT."""
        return self.level != "easy"

    @property
    def uses_discharge(self) -> bool:
        """True if the end of a stay is read."""
        return self.summary in ("quartiles", "strata") or self.concept is None

    @property
    def limit(self) -> tuple[Literal[">", "<"], float]:
        """The limit beyond which the value of a stay is counted as a burden."""
        match self.statistic, self.concept:
            case "length_of_stay", _:
                return ">", 7
            case "readmissions", _:
                return ">", 0
            case ("share", _):
                return ">", 25
            case "days", _:
                return ">", 3
            case "count", Concept(table="diagnoses_icd"):
                return ">", 15
            case _, Concept(above=float() | int() as high):
                return ">", high
            case _, Concept(below=float() | int() as low):
                return "<", low
        return ">", 2
