"""The words of a question for its events, the value of a stay, and the outcome of stays."""

from collections.abc import Iterator

from wardround.authoring.clinsql.concepts import Concept
from wardround.authoring.clinsql.specification import QuestionSpec
from wardround.authoring.clinsql.stages import days_of
from wardround.authoring.clinsql.tables import (
    RecordTables,
)

_READING = {"mean": "average", "lowest": "lowest", "highest": "highest", "first": "first"}
_CHARLSON = "Charlson comorbidity index (table mimiciv_derived.charlson)"


def in_days(tables: RecordTables) -> str:
    """The unit of lengths, and how they are counted."""
    counted = "difference of its dates" if tables.is_by_day else "whole hours divided by 24"
    return f"in days ({counted})"


def reading_request(spec: QuestionSpec) -> str:
    """The request of an easy question about events, or for the number of patients."""
    concept = spec.concept
    if concept is None:
        return "How many distinct patients had such a stay"
    if spec.summary != "patients":
        reading = f"{_READING[spec.statistic]} {concept.words} ({concept.unit})"
        return f"What is the {reading} over all measurements in these stays"
    if concept.companion:
        return (
            f"How many distinct patients had prescriptions of both {drug_pair(concept, 'and')} in"
            " the same stay"
        )
    return f"How many distinct patients had {_any_record(concept)} in these stays"


def drug_pair(concept: Concept, joint: str) -> str:
    """A drug and its companion, lettered because each may be a choice of drugs."""
    second = concept.companion.words if concept.companion else ""
    return f"(a) {concept.words} {joint} (b) {second}"


def included_stays(spec: QuestionSpec, tables: RecordTables) -> Iterator[str]:
    """The sentence that says which stays count, if not all do."""
    concept = spec.concept
    if concept is None or spec.statistic == "performed":
        return
    when = (_starting if concept.kind in _STARTED else _during)(spec, tables)
    if spec.statistic == "both":
        yield f"Take those with at least one prescription of {drug_pair(concept, 'or')}{when}."
        return
    if concept.kind == "diagnosis":
        return  # the cohort has a diagnosis
    also = f", and with one of {concept.companion.words}" if concept.companion else ""
    yield f"Take those with {_any_record(concept)}{when}{also}."


def value_phrase(spec: QuestionSpec, tables: RecordTables) -> str:
    """The value of a stay, with its unit."""
    concept = spec.concept
    if concept is None:
        return _of_stay(spec, tables)
    match spec.statistic, concept.kind:
        case "performed", _:
            return f"the number of its ICD procedure codes for {concept.words}, 0 if it has none"
        case "count", ("diagnosis" | "procedure"):
            return f"the number of its {concept.words}"
        case "count", _:
            return f"the number of these {_EVENTS[concept.kind]}"
        case "days", _:
            of = f"of these prescriptions of {concept.words}"
            return f"the total duration {of} {in_days(tables)}"
        case "share", _:
            sign, limit = ("above", concept.above) if concept.above else ("below", concept.below)
            return f"the percentage of these measurements {sign} {limit} {concept.unit}"
    return f"the {_READING[spec.statistic]} of these measurements"


def outcome_phrase(spec: QuestionSpec, tables: RecordTables) -> str:
    """The measures of a group of stays."""
    stay = "ICU" if spec.cohort.icu else "hospital"
    length = f"the average length of the {stay} stay {in_days(tables)}"
    value = length if spec.statistic == "length_of_stay" else f"the average value, {length}"
    ended = "whose hospital admission ended in" if spec.cohort.icu else "that ended in"
    return f"{value} and the percentage of stays {ended} {spec.outcome.words}"


def _of_stay(spec: QuestionSpec, tables: RecordTables) -> str:
    if spec.statistic == "readmissions":
        later = "on a later day, " if tables.is_by_day else ""
        return (
            f"the number of further admissions of the patient {later}within 30 days after its end"
        )
    if spec.statistic == "charlson":
        return _CHARLSON if spec.level == "easy" else f"its {_CHARLSON}"
    return f"its length {in_days(tables)}"


_STARTED = ("drug", "intervention")
_EVENTS = {"drug": "prescriptions", "intervention": "procedures"}


def _any_record(concept: Concept) -> str:
    match concept.kind:
        case "drug":
            record = f"prescription of {concept.words}"
        case "intervention":
            record = f"charted procedure ({concept.words})"
        case "procedure":
            of = f" for {concept.words}" if concept.icd9 else ""
            record = f"ICD procedure code{of}"
        case _:
            record = f"measurement of {concept.words}"
    return f"at least one {record}"


def _starting(spec: QuestionSpec, tables: RecordTables) -> str:
    parts = [f"starts {_window(spec.hours, tables)}"] if spec.hours else []
    later = "stops on a later day" if tables.is_by_day else "stops after its start"
    parts += [later] if spec.statistic == "days" else []
    return f" that {' and '.join(parts)}" if parts else ""


def _during(spec: QuestionSpec, tables: RecordTables) -> str:
    return f" {_window(spec.hours, tables)}" if spec.hours else ""


def _window(hours: int, tables: RecordTables) -> str:
    if not tables.is_by_day:
        return f"in the first {hours} hours of the stay"
    days = days_of(hours)
    return f"on the first {f'{days} calendar days' if days > 1 else 'day'} of the stay"
