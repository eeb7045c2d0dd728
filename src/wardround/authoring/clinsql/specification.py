"""Specifications of questions, from which query, question, mapping and rubrics are made."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from wardround.authoring.clinsql.concepts import DEATH, Concept, Diagnosis, Outcome
from wardround.authoring.clinsql.strata import window_stratum

Level: TypeAlias = Literal["easy", "medium", "hard"]
Sex: TypeAlias = Literal["F", "M"]
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
    "both",
    "performed",
    "length_of_stay",
    "readmissions",
    "charlson",
    "discharge_location",
]
# The measures over all stays together.
Summary: TypeAlias = Literal[
    "patients",
    "average",
    "median",
    "outcome",
    "distribution",
    "spread",
    "burden",
    "quartiles",
    "strata",
]
RANKED: tuple[Summary, ...] = ("quartiles", "strata")


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

    sex: Sex | None
    ages: tuple[int, int] | None
    convention: Convention
    condition: Diagnosis | None
    icu: bool = False


# Names of columns of values by statistic; others stand before the concept's name.
_SUFFIXES = {
    "count": "count",
    "share": "abnormal_percent",
    "days": "days",
    "both": "with_companion",
    "performed": "count",
}
_COUNTED = {
    "readmissions": "readmitted",
    "both": "both_drugs",
    "performed": "with_procedure",
}


@dataclass(frozen=True, slots=True)
class QuestionSpec:
    """A question.

    Attributes:
        scenario: As published.
        level: easy, medium or hard, by the structure of its query.
        cohort: The patients.
        statistic: The value of each stay.
        summary: The summary of all stays' values.
        concept: The events of the value; None if it is read from the stay.
        hours: The window after the stay's beginning in which events count; None for all.
        outcome: The end of a stay whose share is reported.
    """

    scenario: str
    level: Level
    cohort: CohortSpec
    statistic: Statistic
    summary: Summary
    concept: Concept | None = None
    hours: int | None = None
    outcome: Outcome = DEATH

    @property
    def value(self) -> str:
        """The name of the column that holds the value of a stay."""
        if self.concept is None:
            return "charlson_index" if self.statistic == "charlson" else self.statistic
        if self.statistic in _SUFFIXES:
            return f"{self.concept.name}_{_SUFFIXES[self.statistic]}"
        return f"{self.statistic}_{self.concept.name}"

    @property
    def counted(self) -> str:
        """The stem of names of columns of the stays that are counted."""
        if self.summary != "burden":
            return self.outcome.name
        return _COUNTED.get(self.statistic, "burdened")

    @property
    def end(self) -> str:
        """The column of an admission that says how a stay ended."""
        is_location = self.statistic == "discharge_location"
        return "destination" if is_location else self.outcome.column

    @property
    def reads_end(self) -> bool:
        """True if the result says how stays ended."""
        return self.summary in ("outcome", "distribution", *RANKED)

    @property
    def is_staged(self) -> bool:
        """True if the query has stages before its last SELECT."""
        return self.level != "easy"

    @property
    def uses_discharge(self) -> bool:
        """True if the end of a stay is read."""
        by_time = self.statistic in ("length_of_stay", "readmissions")
        return by_time or self.summary in (*RANKED, "outcome")

    @property
    def window(self) -> str:
        """The stratum of its window of time."""
        if self.statistic == "readmissions":
            return "30 days after discharge"
        return window_stratum(self.hours)

    @property
    def measure(self) -> str:
        """The value of a stay with the kind of its events, and the summary over all stays.

        >>> cohort = CohortSpec(None, None, "anchor", None)
        >>> QuestionSpec("", "easy", cohort, "charlson", "median").measure
        'charlson, median'
        """
        of = f" of {self.concept.kind}" if self.concept else ""
        return f"{self.statistic}{of}, {self.summary}"

    @property
    def limit(self) -> tuple[Literal[">", "<"], float]:
        """The limit beyond which the value of a stay is counted as a burden."""
        match self.statistic, self.concept:
            case "length_of_stay", _:
                return ">", 7
            case "readmissions" | "both" | "performed", _:
                return ">", 0
            case "charlson", _:
                return ">", 5
            case ("share", _):
                return ">", 25
            case "days", _:
                return ">", 3
            case "count", Concept(kind="diagnosis"):
                return ">", 15
            case _, Concept(above=float() | int() as high):
                return ">", high
            case _, Concept(below=float() | int() as low):
                return "<", low
        return ">", 2
