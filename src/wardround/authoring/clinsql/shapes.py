"""Shapes of questions: the measures of each scenario at each level."""

from dataclasses import dataclass

from wardround.authoring.clinsql.concepts import DEATH, Concept, concepts
from wardround.authoring.clinsql.specification import RANKED, Level, Statistic, Summary

_CODES = {
    "codes": Concept("diagnosis", "ICD diagnosis codes", "diagnosis"),
    "procedure_codes": Concept("procedure", "ICD procedure codes", "procedure"),
}
_DEATH = (DEATH.name,)
_PLACES = ("home", "facility", "died_or_hospice")


@dataclass(frozen=True, slots=True)
class Shape:
    """A measure that a question may ask for.

    Attributes:
        statistic: The value of a stay.
        summaries: The summaries of all stays' values that may be asked for.
        kind: The kind of its events; "" if it is read from the stay.
        hours: Windows of events; None among them for the whole stay, empty for no other.
        icu: True or False if only stays in intensive care, or in hospital, have it.
        outcomes: Names of outcomes whose share may be reported.
    """

    statistic: Statistic
    summaries: tuple[Summary, ...]
    kind: str = ""
    hours: tuple[int | None, ...] = (None,)
    icu: bool | None = False
    outcomes: tuple[str, ...] = _DEATH

    @property
    def name(self) -> str:
        """A name by which uses of shapes are counted."""
        return f"{self.statistic} {self.kind} {self.summaries[0]} {self.outcomes[0]}"

    def concepts(self) -> tuple[Concept | None, ...]:
        """The concepts that it may be asked about."""
        if not self.kind:
            return (None,)
        if self.kind in _CODES:
            return (_CODES[self.kind],)
        return tuple(concept for concept in concepts(self.kind) if self._suits(concept))

    def _suits(self, concept: Concept) -> bool:
        """False for the end of a range of values that is of no concern."""
        concern = {"highest": concept.above, "lowest": concept.below}
        return concern.get(self.statistic, 0) is not None


_SPREAD: tuple[Summary, ...] = ("spread", "burden")
_HOURS = (24, 48, 72, None)
SHAPES: dict[tuple[str, Level], tuple[Shape, ...]] = {
    ("Patient_Demographics_and_Admissions", "easy"): (
        Shape("length_of_stay", ("average",)),
        Shape("length_of_stay", ("patients",)),
        Shape("length_of_stay", ("outcome",), outcomes=_PLACES),
    ),
    ("Patient_Demographics_and_Admissions", "medium"): (
        Shape("length_of_stay", _SPREAD, icu=None),
        Shape("readmissions", ("burden",)),
        Shape("length_of_stay", ("outcome",), outcomes=_PLACES),
        Shape("discharge_location", ("distribution",)),
        Shape("charlson", _SPREAD),
    ),
    ("Patient_Demographics_and_Admissions", "hard"): (
        Shape("length_of_stay", RANKED, icu=None),
        Shape("length_of_stay", RANKED, outcomes=_PLACES),
    ),
    ("Disease_Diagnosis_and_Outcomes", "easy"): (
        Shape("length_of_stay", ("outcome",)),
        Shape("length_of_stay", ("patients",)),
        Shape("charlson", ("average", "median")),
    ),
    ("Disease_Diagnosis_and_Outcomes", "medium"): (
        Shape("count", _SPREAD, "codes"),
        Shape("length_of_stay", ("burden",), icu=True),
        Shape("charlson", _SPREAD),
        Shape("length_of_stay", ("outcome",), outcomes=_PLACES),
    ),
    ("Disease_Diagnosis_and_Outcomes", "hard"): (
        Shape("count", RANKED, "codes", icu=None),
        Shape("charlson", RANKED),
        Shape("charlson", RANKED, outcomes=_PLACES),
    ),
    ("Vital_Signs_Monitoring", "easy"): tuple(
        Shape(name, ("average",), "vital") for name in ("mean", "lowest", "highest")
    ),
    ("Vital_Signs_Monitoring", "medium"): (
        Shape("mean", _SPREAD, "vital", _HOURS, icu=True),
        Shape("share", _SPREAD, "vital", _HOURS, icu=True),
    ),
    ("Vital_Signs_Monitoring", "hard"): (
        Shape("mean", RANKED, "vital", _HOURS, icu=True),
        Shape("first", RANKED, "vital", (24, 48), icu=True),
        Shape("share", RANKED, "vital", _HOURS, icu=True),
    ),
    ("Laboratory_Results_Analysis", "easy"): tuple(
        Shape(name, ("average",), "lab") for name in ("mean", "lowest", "highest")
    ),
    ("Laboratory_Results_Analysis", "medium"): (
        Shape("mean", _SPREAD, "lab", _HOURS, icu=None),
        Shape("highest", _SPREAD, "lab", _HOURS, icu=None),
        Shape("lowest", _SPREAD, "lab", _HOURS, icu=None),
    ),
    ("Laboratory_Results_Analysis", "hard"): (
        Shape("first", RANKED, "lab", (24, 48, 72), icu=None),
        Shape("highest", RANKED, "lab", _HOURS, icu=None),
    ),
    ("Medication_Management", "easy"): (
        Shape("count", ("patients",), "drug"),
        Shape("count", ("patients",), "pair"),
    ),
    ("Medication_Management", "medium"): (
        Shape("count", _SPREAD, "drug", _HOURS),
        Shape("days", _SPREAD, "drug", _HOURS),
        Shape("both", ("burden",), "pair", _HOURS),
    ),
    ("Medication_Management", "hard"): (
        Shape("days", RANKED, "drug", _HOURS),
        Shape("days", RANKED, "pair"),
    ),
    ("Diagnostic_Procedures", "easy"): (
        Shape("count", ("patients",), "procedure"),
        Shape("count", ("patients",), "coded"),
    ),
    ("Diagnostic_Procedures", "medium"): (
        Shape("count", _SPREAD, "procedure", _HOURS, icu=True),
        Shape("performed", ("burden",), "coded"),
        Shape("count", ("spread",), "procedure_codes"),
    ),
    ("Diagnostic_Procedures", "hard"): (
        Shape("count", RANKED, "procedure", _HOURS, icu=True),
        Shape("count", RANKED, "procedure_codes"),
    ),
}
