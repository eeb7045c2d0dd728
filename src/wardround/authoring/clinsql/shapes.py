"""Shapes of questions: the measures of each scenario at each level."""

from dataclasses import dataclass

from wardround.authoring.clinsql.concepts import concepts
from wardround.authoring.clinsql.specification import Concept, Level, Statistic, Summary

_CODES = Concept("diagnosis", "diagnosis codes", "diagnoses_icd")
_DAYS = (24, 48, 72)


@dataclass(frozen=True, slots=True)
class Shape:
    """A measure that a question may ask for.

    Attributes:
        statistic: The value of a stay.
        summaries: What may be said of all stays.
        kind: The kind of its events; "" if it is read from the stay.
        hours: Windows of events; empty for none.
        icu: True or False if only stays in intensive care, or in hospital, have it.
    """

    statistic: Statistic
    summaries: tuple[Summary, ...]
    kind: str = ""
    hours: tuple[int, ...] = ()
    icu: bool | None = False

    def concepts(self) -> tuple[Concept | None, ...]:
        """The concepts that it may be asked about."""
        if not self.kind:
            return (None,)
        return (_CODES,) if self.kind == "codes" else concepts(self.kind)


_RANKED: tuple[Summary, ...] = ("quartiles", "strata")
_SPREAD: tuple[Summary, ...] = ("spread", "burden")
_EASY_STAYS = (
    Shape("length_of_stay", ("average", "mortality")),
    Shape("length_of_stay", ("patients",)),
)
SHAPES: dict[tuple[str, Level], tuple[Shape, ...]] = {
    ("Patient_Demographics_and_Admissions", "easy"): _EASY_STAYS,
    ("Patient_Demographics_and_Admissions", "medium"): (
        Shape("length_of_stay", _SPREAD, icu=None),
        Shape("readmissions", ("burden",)),
    ),
    ("Patient_Demographics_and_Admissions", "hard"): (Shape("length_of_stay", _RANKED, icu=None),),
    ("Disease_Diagnosis_and_Outcomes", "easy"): _EASY_STAYS,
    ("Disease_Diagnosis_and_Outcomes", "medium"): (
        Shape("count", _SPREAD, "codes"),
        Shape("length_of_stay", ("burden",), icu=True),
    ),
    ("Disease_Diagnosis_and_Outcomes", "hard"): (Shape("count", _RANKED, "codes", icu=None),),
    ("Vital_Signs_Monitoring", "easy"): tuple(
        Shape(name, ("average",), "vital") for name in ("mean", "lowest", "highest")
    ),
    ("Vital_Signs_Monitoring", "medium"): (
        Shape("mean", _SPREAD, "vital", (24, 48), icu=True),
        Shape("share", _SPREAD, "vital", (24, 48), icu=True),
    ),
    ("Vital_Signs_Monitoring", "hard"): (
        Shape("mean", _RANKED, "vital", (24, 48), icu=True),
        Shape("first", _RANKED, "vital", (24, 48), icu=True),
        Shape("share", _RANKED, "vital", (24, 48), icu=True),
    ),
    ("Laboratory_Results_Analysis", "easy"): tuple(
        Shape(name, ("average",), "lab") for name in ("mean", "lowest", "highest")
    ),
    ("Laboratory_Results_Analysis", "medium"): (
        Shape("mean", _SPREAD, "lab", _DAYS, icu=None),
        Shape("highest", _SPREAD, "lab", _DAYS, icu=None),
        Shape("lowest", _SPREAD, "lab", _DAYS, icu=None),
    ),
    ("Laboratory_Results_Analysis", "hard"): (
        Shape("first", _RANKED, "lab", _DAYS, icu=None),
        Shape("highest", _RANKED, "lab", _DAYS, icu=None),
    ),
    ("Medication_Management", "easy"): (Shape("count", ("patients",), "drug"),),
    ("Medication_Management", "medium"): (
        Shape("count", _SPREAD, "drug", _DAYS),
        Shape("days", _SPREAD, "drug", _DAYS),
    ),
    ("Medication_Management", "hard"): (Shape("days", _RANKED, "drug", _DAYS),),
    ("Diagnostic_Procedures", "easy"): (Shape("count", ("patients",), "procedure"),),
    ("Diagnostic_Procedures", "medium"): (Shape("count", _SPREAD, "procedure", _DAYS, icu=True),),
    ("Diagnostic_Procedures", "hard"): (Shape("count", _RANKED, "procedure", _DAYS, icu=True),),
}
