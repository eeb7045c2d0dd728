"""The question of a specification in plain English: the anchor patient, the cohort, the measure."""

from collections.abc import Iterator

from wardround.authoring.clinsql.anchors import Anchor
from wardround.authoring.clinsql.measure_words import (
    in_days,
    included_stays,
    outcome_phrase,
    reading_request,
    value_phrase,
)
from wardround.authoring.clinsql.specification import RANKED, CohortSpec, QuestionSpec
from wardround.authoring.clinsql.strata import admission_kind
from wardround.authoring.clinsql.tables import (
    RecordTables,
)

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

    Where other encounters stand beside stays in hospital, these are called inpatient stays.

    >>> from wardround.authoring.clinsql.tables import published_tables
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
