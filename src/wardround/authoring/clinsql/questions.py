"""The question of a specification in plain English: the anchor patient, the cohort, the measure."""

from collections.abc import Iterator

from wardround.authoring.clinsql.anchors import Anchor
from wardround.authoring.clinsql.concepts import Concept
from wardround.authoring.clinsql.gold_query.stages import days_of
from wardround.authoring.clinsql.gold_query.tables import (
    RecordTables,
)
from wardround.authoring.clinsql.specification import RANKED, CohortSpec, QuestionSpec
from wardround.authoring.clinsql.strata import admission_kind

_READING = {"mean": "average", "lowest": "lowest", "highest": "highest", "first": "first"}
_CHARLSON = "Charlson comorbidity index (table mimiciv_derived.charlson)"

_SEX = {"F": "female", "M": "male"}
_PERSON = {"F": ("woman", "her"), "M": ("man", "his")}
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
_ADMISSIONS = {
    "emergency": "an emergency admission",
    "urgent": "an urgent admission",
    "observation": "an admission for observation",
    "elective": "a planned admission",
    "unknown": "an admission",
}


def question_text(spec: QuestionSpec, anchor: Anchor, tables: RecordTables) -> str:
    """The question as a physician asks it."""
    sentences = _single(spec, tables) if spec.level == "easy" else _staged(spec, tables)
    consider = f"Consider {cohort_phrase(spec.cohort, tables)}."
    return " ".join([anchor_sentence(anchor), consider, *sentences, *_form(spec)])


def anchor_sentence(anchor: Anchor) -> str:
    """The patient at hand."""
    person, her = _PERSON[anchor.sex]
    article = "an" if str(anchor.age).startswith("8") else "a"
    insured = anchor.insurance not in ("", "Other", "No charge")
    insurance = f", insured by {anchor.insurance}" if insured else ""
    late = anchor.number > len(_ORDINALS)
    ordinal = "latest" if late else _ORDINALS[anchor.number - 1]
    care = ", part of it in intensive care" if anchor.icu else ""
    return (
        f"My patient is {article} {anchor.age}-year-old {person} with {anchor.condition.name}"
        f"{insurance}. This is {her} {ordinal} stay with us: "
        f"{_ADMISSIONS[admission_kind(anchor.admission_type)]} of {anchor.days}{care}."
    )


def cohort_phrase(cohort: CohortSpec, tables: RecordTables) -> str:
    """The stays of the cohort in words, with each of its conditions.

    If the records also hold other encounters, stays in hospital are called inpatient stays.

    >>> from wardround.authoring.clinsql.gold_query.tables import published_tables
    >>> cohort_phrase(CohortSpec("F", (60, 70), "anchor", None), published_tables())
    'hospital stays of female patients with an anchor age of 60 to 70 years'
    """
    stays = "inpatient" if tables.records.has("visit") else "hospital"
    words = "ICU stays" if cohort.icu else f"{stays} stays"
    if cohort.condition:
        words += " in hospital admissions" if cohort.icu else ""
        words += f" with an ICD-9 or ICD-10 diagnosis code for {cohort.condition.name},"
    words += f" of {_SEX[cohort.sex]} patients" if cohort.sex else " of patients"
    if cohort.ages:
        low, high = cohort.ages
        anchor = cohort.convention == "anchor"
        age = f"with an anchor age of {low} to {high} years"
        words += f" {age if anchor else f'aged {low} to {high} years at hospital admission'}"
    return words


def _single(spec: QuestionSpec, tables: RecordTables) -> Iterator[str]:
    match spec.summary, spec.statistic:
        case "patients", _:
            yield f"{reading_request(spec)}?"
        case "outcome", _:
            yield f"What percentage of these stays ended in {spec.outcome.words}?"
        case "average", "length_of_stay":
            yield f"What is their average length {in_days(tables)}?"
        case summary, "charlson":
            yield f"What is the {summary} {value_phrase(spec, tables)} of these stays?"
        case _:
            yield f"{reading_request(spec)}?"


def _staged(spec: QuestionSpec, tables: RecordTables) -> Iterator[str]:
    yield from included_stays(spec, tables)
    if spec.uses_discharge:
        yield "Leave out stays without a recorded end."
    if spec.summary not in ("outcome", "distribution") and spec.statistic != "both":
        yield f"For each stay, find {value_phrase(spec, tables)}."
    yield from _stages(spec, tables)
    if spec.summary != "distribution":
        yield "Also give the numbers of distinct patients and of stays."


def _stages(spec: QuestionSpec, tables: RecordTables) -> Iterator[str]:
    if spec.summary == "spread":
        yield "Report the average of this value and its 25th, 50th and 75th percentile over stays."
    elif spec.summary == "burden":
        yield f"Report {_burden(spec)}, as a number and as a percentage."
    elif spec.summary == "distribution":
        yield (
            "Leave out those without a recorded discharge location. For each discharge location"
            " report the number of distinct patients, the number of stays and the percentage of all"
            " remaining stays."
        )
    elif spec.summary == "outcome":
        yield (
            f"Report their average length {in_days(tables)}, and how many of "
            f"them ended in {spec.outcome.words}, as a number and as a percentage."
        )
    elif spec.summary in RANKED:
        by = tables.key(spec.cohort)
        yield (
            f"Sort the stays by this value, ties by {by}, and cut them into four groups of equal"
            " size, from 1 (lowest values) to 4 (highest)."
        )
        yield f"{_GROUPS[spec.summary]} report {outcome_phrase(spec, tables)}."


def _burden(spec: QuestionSpec) -> str:
    sign, limit = spec.limit
    if spec.statistic == "readmissions":
        return "how many stays were followed by at least one such admission"
    if spec.statistic == "performed":
        return "how many stays have at least one such code"
    if spec.statistic == "both":
        return "how many of them have such prescriptions of both (a) and (b)"
    return f"how many stays have a value {'above' if sign == '>' else 'below'} {limit:g}"


_GROUPS = {
    "quartiles": "For each group",
    "strata": "For group 4 (shown as 1) and for the other three groups together (shown as 0)",
}


def _form(spec: QuestionSpec) -> Iterator[str]:
    concept = spec.concept
    if concept and concept.has_values:
        low, high = concept.plausible
        named = " or ".join(f"'{name}'" for name in concept.names)
        of = f"named {named} " if named else ""
        yield f"Use only measurements {of}from {low:g} to {high:g} {concept.unit}."
    if spec.summary != "patients":
        yield "Round to two decimals."


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
