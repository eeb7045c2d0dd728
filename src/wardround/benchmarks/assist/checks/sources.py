"""Sources of an answer's numbers and dates: records, questions, conversion, arithmetic, ranges."""

import re
from bisect import bisect_left
from calendar import monthrange
from collections.abc import Iterable, Iterator, Sequence
from datetime import MINYEAR, date
from functools import lru_cache
from typing import TypeAlias

from wardround.benchmarks.assist.checks.evidence import Evidence
from wardround.benchmarks.assist.checks.items import words
from wardround.benchmarks.assist.checks.recomputed_scores import named_results
from wardround.benchmarks.assist.checks.score_items import score_ends, score_places
from wardround.benchmarks.assist.checks.sentences import sentences
from wardround.benchmarks.assist.sessions import Language
from wardround.ehr.scores import Score
from wardround.ehr.terms.conversions import convert, units
from wardround.ehr.terms.labs import lab_named
from wardround.ehr.text.dates import days
from wardround.ehr.text.language import has_han
from wardround.ehr.text.mentions import mentions
from wardround.ehr.text.quantities import POINTS, Quantity, duration, quantities
from wardround.ehr.text.segments import Span, phrases

_COUNTS = 10  # whole numbers up to this count things
_TEXTS = 512  # cached texts
# The time of a result, in a line of a tool's answer or in a resource.
_RESULT_TIME = re.compile(
    r'(?:@ ?|"(?:effectiveDateTime|issued|authoredOn|recordedDate)": ?")\d{4}-\d\d-\d\d'
)
_DOSES = ("mg", "g", "mcg", "units", "mEq", "tablet")
_RATIOS = ("", "%", "times")
# The place of a name, and whether it is a score's.
_Name: TypeAlias = tuple[Span, bool]
_CLEARANCE = "Cockcroft-Gault"  # the one score with a unit


def without_source(answer: str, evidence: Evidence) -> list[str]:
    """The numbers of an answer that have no source, with their units.

    A number has one if it stands in the evidence, is one of its numbers converted or rounded, a
    dose of it halved or doubled, a difference, ratio or percentage of two of them, the days or
    weeks between two of its dates, or an end of a reference range of a test that its sentence
    names. A total of a score counts as computed; the items about the score decide it. A score with
    decimals has to be what the evidence gives, and the year of its publication is part of its name.

    >>> seen = Evidence(("creatinine 1.2 mg/dL on admission, now 2.4 mg/dL",))
    >>> without_source("Creatinine rose by 1.2 to 2.4 mg/dL (212 umol/L); sodium 151.", seen)
    ['151']
    """
    numbers = [each for each in unsourced(answer, evidence.texts) if not _is_count(each)]
    if numbers:
        numbers = [each for text in sentences(answer) for each in _unscored(text, evidence)]
    return list(dict.fromkeys(f"{each.value:g} {each.unit}".strip() for each in numbers))


def unsourced(answer: str, texts: Iterable[str]) -> Iterator[Quantity]:
    """The quantities of an answer that do not come from those of some texts, counts included.

    >>> [each.value for each in unsourced("after 16 days, for 17 days", ["2112-08-28, 2112-09-13"])]
    [17.0]
    """
    texts = list(texts)
    evidence_quantities = [quantity for text in texts for quantity in _read(text)]
    days = frozenset().union(*map(_days, texts))
    values = sorted({quantity.value for quantity in evidence_quantities})
    for sentence in sentences(answer):
        tests = [mention.name for mention in mentions(sentence, "test")]
        for quantity in quantities(sentence):
            if _is_total(quantity, sentence):
                continue
            if _is_between(quantity, days) or _has_source(
                quantity, values, evidence_quantities, tests
            ):
                continue
            yield quantity


def _is_total(quantity: Quantity, sentence: str) -> bool:
    """True for a whole number of a score, and not of a test or another thing named beside it.

    A number is of the last name before it that has none yet, and further ones of a score too where
    no other name is near. A phrase without names goes on with those before, if it says no more.

    >>> text = "MELD 33 with 151 platelets, sodium 138, age 71"
    >>> [_is_total(number, text) for number in quantities(text)]
    [True, False, False, False]
    """
    if quantity.unit not in ("", POINTS) or not quantity.value.is_integer():
        return False
    names = sorted([*((place, True) for place in _score_names(sentence)), *_tests(sentence)])
    language: Language = "zh" if has_han(sentence) else "en"
    part = next(each for each in phrases(sentence, language) if quantity.start < each.end)
    near = [name for name in names if part.start <= name[0].start < part.end]
    if not near and not quantity.unit and any(words(part.of(sentence), language)):
        return False
    ahead = [name for name in near or names if name[0].end <= quantity.start]
    behind = [name for name in near if name[0].start >= quantity.end]
    nearest = [*_without_number(ahead, sentence, quantity)[-1:], *behind[:1], *ahead[-1:]]
    return bool(nearest) and nearest[0][1]


def _without_number(names: Sequence[_Name], sentence: str, last: Quantity) -> list[_Name]:
    """The names that no number follows up to the next name, or up to a last number."""
    numbers = [number.start for number in quantities(sentence) if number.start < last.start]
    starts = [span.start for span, _ in names]
    return [
        (span, is_score)
        for span, is_score in names
        if not any(
            bisect_left(starts, number) == bisect_left(starts, span.end) for number in numbers
        )
    ]


def _score_names(sentence: str) -> list[Span]:
    """The places of names of scores in points; a clearance has a unit."""
    clearances = score_ends(sentence, "cockcroft_gault")
    return [Span(*place) for place in score_places(sentence) if place[1] not in clearances]


def _tests(sentence: str) -> Iterator[_Name]:
    """The places of tests, without those in the name of a score, as Na in MELD-Na."""
    names = score_places(sentence)
    for test in mentions(sentence, "test"):
        if not any(start <= test.start < end for start, end in names):
            yield test.span, False


def later_dates(answer: str, evidence: Evidence) -> list[str]:
    """The dates of an answer that are later than the clock's day; planned ones are none.

    A date is planned if the evidence names it, other than as the time of a result.

    >>> later_dates("INR 2.1 on 2150-03-09", Evidence((), (), "2150-03-06"))
    ['2150-03-09']
    >>> later_dates("Clinic on 2150-03-09", Evidence(("Follow-up 2150-03-09",), (), "2150-03-06"))
    []
    """
    if not evidence.clock:
        return []
    late = {date for date in days(answer) if date > evidence.clock}
    if not late:
        return []
    planned = {date for text in evidence.texts for date in days(_RESULT_TIME.sub(" ", text))}
    return sorted(late - planned)


def _is_between(quantity: Quantity, days: Iterable[int]) -> bool:
    """True for the number of days or weeks between two days."""
    length = duration(quantity) if quantity.unit in ("day", "week") else None
    return length is not None and any(day + length.days in days for day in days)


def _unscored(sentence: str, evidence: Evidence) -> Iterator[Quantity]:
    """The numbers without a source that are no result or year of a score that a sentence names."""
    numbers = [each for each in unsourced(sentence, evidence.texts) if not _is_count(each)]
    scores = named_results(sentence, evidence) if numbers else []
    cited = [score.version for score in scores if _unpaused(score.version) in _unpaused(sentence)]
    years = [each.value for version in cited for each in quantities(version)]
    for number in numbers:
        low, high = _rounding(number)
        results = [
            score.assumed
            for score in scores
            if score.assumed is not None and number.unit in _units(score)
        ]
        if not any(low <= each <= high for each in (*years, *results)):
            yield number


def _unpaused(text: str) -> str:
    return text.replace(",", "")


def _units(score: Score) -> tuple[str, ...]:
    return ("", "mL/min") if score.name == _CLEARANCE else ("", POINTS)


def _is_count(quantity: Quantity) -> bool:
    """True for a small whole number, which may count things; one per litre is a result."""
    is_small = quantity.value <= _COUNTS and quantity.value.is_integer()
    return is_small and "/" not in quantity.unit


def _has_source(
    quantity: Quantity,
    values: Sequence[float],
    evidence_quantities: Iterable[Quantity],
    tests: Sequence[str],
) -> bool:
    value = quantity.value
    low, high = _rounding(quantity)
    return (
        _any_between(values, low, high)
        or (quantity.unit in _DOSES and _any_between(values, 2 * low, 2 * high))
        or (quantity.unit in _DOSES and _any_between(values, low / 2, high / 2))
        or value in _range_ends(tests)
        or _is_derived(quantity, values)
        or any(
            low <= converted <= high
            for converted in _converted(quantity, evidence_quantities, tests)
        )
    )


def _rounding(quantity: Quantity) -> tuple[float, float]:
    """The numbers that round to a quantity."""
    half = min(0.5 * 10**-quantity.decimals, 0.05 * abs(quantity.value)) + 1e-9
    return quantity.value - half, quantity.value + half


def _any_between(values: Sequence[float], low: float, high: float) -> bool:
    index = bisect_left(values, low)
    return index < len(values) and values[index] <= high


def _is_derived(quantity: Quantity, values: Sequence[float]) -> bool:
    """True for a difference, or for a ratio or percentage where the unit allows one."""
    low, high = _rounding(quantity)
    if any(_any_between(values, each + low, each + high) for each in values):
        return True
    if quantity.unit not in _RATIOS:
        return False
    scale = 100 if quantity.unit == "%" else 1
    changes = [(low, high), *([(low + 100, high + 100)] if scale == 100 else [])]
    return any(
        each > 0 and _any_between(values, each * first / scale, each * last / scale)
        for first, last in changes
        for each in values
    )


def _converted(
    quantity: Quantity, evidence_quantities: Iterable[Quantity], tests: Sequence[str]
) -> Iterator[float]:
    """The numbers of the evidence in the quantity's unit."""
    if quantity.unit.lower() not in units():
        return
    for each in evidence_quantities:
        if each.unit and each.unit != quantity.unit:
            for test in ("", *tests):
                converted = convert(each.value, each.unit, quantity.unit, test)
                if converted is not None:
                    yield converted


def _range_ends(tests: Iterable[str]) -> frozenset[float]:
    labs = [lab for lab in map(lab_named, tests) if lab]
    ranges = [each for lab in labs for each in (lab.adult, *lab.by_sex.values()) if each]
    return frozenset(end for each in ranges for end in (each.low, each.high))


@lru_cache(_TEXTS)
def _days(text: str) -> frozenset[int]:
    """The ordinals of the days that a text names with their year; 31 February is none."""
    named = (tuple(map(int, day.split("-"))) for day in days(text) if not day.startswith("-"))
    return frozenset(
        date(year, month, day).toordinal()
        for year, month, day in named
        if year >= MINYEAR and day <= monthrange(year, month)[1]
    )


@lru_cache(_TEXTS)
def _read(text: str) -> tuple[Quantity, ...]:
    return tuple(quantities(text))
