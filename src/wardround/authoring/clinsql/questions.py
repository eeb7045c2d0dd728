"""The question of a specification in plain English: the anchor patient, the cohort, the measure."""

from collections.abc import Iterator

from wardround.authoring.clinsql.anchors import Anchor
from wardround.authoring.clinsql.specification import CohortSpec, QuestionSpec

_SEX = {"F": "female", "M": "male"}
_PERSON = {"F": "woman", "M": "man"}
_SORTED = "Sort the stays by this value, then by identifier, into four groups of equal size"
_ADJECTIVES = {"mean": "average"}


def question_text(spec: QuestionSpec, anchor: Anchor) -> str:
    """The question as a physician asks it."""
    return f"{anchor_sentence(anchor, spec)} {_request(spec)} {_output(spec)}".strip()


def anchor_sentence(anchor: Anchor, spec: QuestionSpec) -> str:
    """The patient at hand."""
    condition = spec.cohort.condition
    has = f" with {condition.name}" if condition else ""
    care = ", some of them in intensive care" if anchor.icu else ""
    return (
        f"My patient is a {anchor.age}-year-old {_PERSON[anchor.sex]}{has}, "
        f"{anchor.way_in}, with {anchor.days} in hospital{care}."
    )


def cohort_phrase(cohort: CohortSpec) -> str:
    """The cohort in words, with each of its conditions.

    >>> cohort_phrase(CohortSpec("F", (60, 70), "anchor", None))
    'female patients whose anchor age is 60 to 70 years'
    """
    words = f"{_SEX[cohort.sex]} patients" if cohort.sex else "patients"
    if cohort.ages:
        age = "anchor age" if cohort.convention == "anchor" else "age at hospital admission"
        words += f" whose {age} is {cohort.ages[0]} to {cohort.ages[1]} years"
    if cohort.condition:
        words += f", in hospital stays with an ICD-9 or ICD-10 diagnosis of {cohort.condition.name}"
    return words


def unit_phrase(cohort: CohortSpec) -> str:
    """The stays that are counted."""
    return "stay in intensive care" if cohort.icu else "hospital stay"


def value_phrase(spec: QuestionSpec) -> str:
    """The value of a stay, with its window and unit."""
    concept, stay = spec.concept, unit_phrase(spec.cohort)
    if concept is None:
        if spec.statistic == "readmissions":
            return "number of admissions within 30 days of discharge"
        return f"length of the {stay} in days (whole hours divided by 24)"
    within = f" in the first {spec.hours} hours of the {stay}" if spec.hours else ""
    unit = f" ({concept.unit})" if concept.unit and spec.statistic != "share" else ""
    above, below = concept.above, concept.below
    abnormal = f"above {above:g}" if above is not None else f"below {below or 0:g}"
    phrase = {
        "count": f"number of records of {concept.words}",
        "share": f"percentage of {concept.words} readings {abnormal} {concept.unit}",
        "days": f"total days of prescriptions of {concept.words} (whole hours divided by 24)",
    }.get(spec.statistic, f"{_ADJECTIVES.get(spec.statistic, spec.statistic)} {concept.words}")
    return f"{phrase}{within}{unit}"


def _request(spec: QuestionSpec) -> str:
    who = cohort_phrase(spec.cohort)
    if spec.level == "easy":
        return f"Among {who}, {_single_request(spec)}?{_plausible(spec)}"
    stay, value = unit_phrase(spec.cohort), value_phrase(spec)
    each = f"For {who}, take each {stay}"
    if spec.concept:
        each += " with at least one such record"
    sentences = [f"{each} and find the {value}."]
    sentences += _stages(spec)
    return " ".join(sentences) + _plausible(spec)


def _single_request(spec: QuestionSpec) -> str:
    concept, statistic = spec.concept, _ADJECTIVES.get(spec.statistic, spec.statistic)
    if spec.summary == "mortality":
        return "what percentage of hospital stays ended in death in hospital"
    if spec.summary == "patients":
        record = f" with at least one record of {concept.words}" if concept else ""
        return f"how many distinct patients{record} are there"
    if concept is None:
        return "what is the average length of a hospital stay in days (whole hours divided by 24)"
    return f"what is the {statistic} {concept.words} ({concept.unit}) over all readings"


def _stages(spec: QuestionSpec) -> Iterator[str]:
    sign, limit = spec.limit
    match spec.summary:
        case "spread":
            yield "Report its average and its 25th, 50th and 75th percentile over all stays."
        case "burden":
            beyond = "above" if sign == ">" else "below"
            yield f"Report how many stays have a value {beyond} {limit:g}, and their percentage."
        case "quartiles":
            yield f"{_SORTED}, 1 the lowest."
            yield f"For each group report {_outcomes(spec)}."
        case "strata":
            yield f"{_SORTED}, and compare the highest group (1) with the rest (0)."
            yield f"For both report {_outcomes(spec)}."


def _outcomes(spec: QuestionSpec) -> str:
    length = "the average length of stay in days"
    value = length if spec.concept is None else f"the average value, {length}"
    return f"{value} and the percentage of stays in whose admission the patient died"


def _plausible(spec: QuestionSpec) -> str:
    if spec.concept is None or not spec.concept.has_values:
        return ""
    low, high = spec.concept.plausible
    return f" Use readings from {low:g} to {high:g} only."


def _output(spec: QuestionSpec) -> str:
    if spec.level == "easy":
        return "" if spec.summary == "patients" else "Round to two decimals."
    return "Give the number of distinct patients and of stays as well, and round to two decimals."
