"""Clinical scores computed again from what the calls of a session returned."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date, datetime, time
from functools import cache, lru_cache

from wardround.benchmarks.assist.checks.evidence import Evidence
from wardround.benchmarks.assist.checks.lexicon import cue
from wardround.benchmarks.assist.checks.score_items import named_scores
from wardround.benchmarks.assist.tools.compaction import compact
from wardround.ehr.scores import FUNCTIONS, Facts, Score, Windows, score_from, score_inputs
from wardround.ehr.scores.facts import (
    Measure,
    Measurement,
    Stay,
    facts_of,
    measured,
    measures,
)
from wardround.ehr.terms.dictionaries import dictionary

_RESULT = re.compile(
    r"^(?P<label>[^:\n]+(?:\([^)\n]*\))?): (?P<number>[<>]?=?-?\d+(?:\.\d+)?)"
    r"(?: (?P<unit>[^\s\[(][^\s\[]*(?: Hg)?))?(?: \([A-Za-z ,]*\))?(?: \[[^\]\n]*\])?"
    r" @ (?P<time>\d{4}-\d\d-\d\d(?:T[\d:]+)?)",
    re.MULTILINE,
)
_DIAGNOSIS = re.compile(r"^(?:\d+\. )?.*\((?P<codes>[A-Z0-9.]+(?:, [A-Z0-9.]+)*)\),", re.MULTILINE)
_DIAGNOSES, _CUT = "Condition: ", "more are not shown)"
_WHOLE_SEARCH = frozenset({"subject_id", "hadm_id"})
_AGE = re.compile(r"(\d{1,3})[- ]years?[- ]old|age[d:]? (\d{1,3})|(\d{1,3}) ?岁", re.IGNORECASE)
# Within any word: a hit too many only leaves a score open.
_DIALYSIS = re.compile("dialys|dialyz|crrt|透析", re.IGNORECASE)
_EVER = 24 * 365 * 100.0  # hours
_EVENING, _NO_DAY = time(23, 59, 59), datetime(2000, 1, 1)
_TEXTS = 64  # cached sets of texts


def named_results(text: str, evidence: Evidence) -> list[Score]:
    """The scores that a text names, computed again from the evidence."""
    names = sorted(named_scores(text) & FUNCTIONS.keys())
    return [score for name in names for score in recomputed(name, evidence)]


def recomputed(name: str, evidence: Evidence) -> list[Score]:
    """A score from the latest results, the worst of the last day, and the worst of all.

    Returns:
        The scores that differ from each other; none if the evidence has only the age and sex.
    """
    facts = facts_in(evidence)
    latest = {m.measure: m for m in facts.measurements}
    choices = (
        (replace(facts, measurements=tuple(latest.values())), Windows(last=_EVER)),
        (facts, Windows()),
        (facts, Windows(last=_EVER)),
    )
    given = {"dialysis": False} if name == "meld" and not _on_dialysis(evidence) else {}
    scores: list[Score] = []
    for known, windows in choices:
        inputs = score_inputs(known, name, windows)
        if any(v is not None for n, v in inputs.items() if n not in ("age", "female")):
            score = score_from(known, name, windows, **given)
            scores += [score] if score not in scores else []
    return scores


def facts_in(evidence: Evidence) -> Facts:
    """The facts in the results of calls, and in the line with age and sex."""
    return _facts(evidence.texts, evidence.clock, _is_coded(evidence))


@lru_cache(_TEXTS)
def _facts(texts: tuple[str, ...], clock: str, coded: bool) -> Facts:
    shown = [_lines(text) for text in texts]
    measurements = [m for text in shown for m in _measurements(text)]
    times = [m.time for m in measurements]
    end = (
        datetime.combine(date.fromisoformat(clock), _EVENING)
        if clock
        else max(times, default=_NO_DAY)
    )
    opening = texts[0] if texts else ""
    facts = facts_of(
        end,
        Stay(min(times, default=end), None),
        birth=_birth(opening, end.date()),
        female=_female(opening),
        codes=frozenset(code for text in shown for code in _codes(text)),
        measurements=(m for m in measurements if m.time <= end),
        infusions=(),
        orders=(),
    )
    return replace(facts, coded=coded)


def _on_dialysis(evidence: Evidence) -> bool:
    """True if anything speaks of dialysis; MELD is else computed without it."""
    return any(_DIALYSIS.search(text) for text in evidence.texts)


def _lines(text: str) -> str:
    """A result as lines; a recorded Bundle is written as its entries' lines."""
    if not text.startswith('{"resourceType"'):
        return text
    try:
        return compact(json.loads(text), "strict")
    except ValueError:
        return text


def _measurements(text: str) -> Iterator[Measurement]:
    for match in _RESULT.finditer(text):
        measure = _labels().get(match["label"].lower())
        if measure:
            at = datetime.fromisoformat(match["time"])
            number = float(match["number"].lstrip("<>="))
            measurement = measured(at, measure, number, match["unit"])
            if measurement:
                yield measurement


def _codes(text: str) -> Iterator[tuple[int, str]]:
    """The codes of diagnoses under both versions, as their prefixes differ."""
    if text.startswith(_DIAGNOSES):
        for match in _DIAGNOSIS.finditer(text):
            for code in match["codes"].split(", "):
                yield 9, code.replace(".", "")
                yield 10, code.replace(".", "")


def _is_coded(evidence: Evidence) -> bool:
    """True if a search for all diagnoses was answered in full."""
    searches = [call for call in evidence.calls if call.tool == "Condition.search"]
    whole = any(_WHOLE_SEARCH.issuperset(call.arguments) for call in searches)
    answers = [text for text in map(_lines, evidence.texts) if text.startswith(_DIAGNOSES)]
    return whole and bool(answers) and not any(_CUT in text for text in answers)


def _birth(opening: str, day: date) -> date | None:
    """A date of birth that gives the age of a text."""
    age = _AGE.search(opening)
    years = next((group for group in age.groups() if group), "") if age else ""
    return date(day.year - int(years), 1, 1) if years else None


def _female(opening: str) -> bool | None:
    female, male = (cue(sex).search(opening) for sex in ("female", "male"))
    if female and male:
        return female.start() < male.start()
    return bool(female) if female or male else None


@cache
def _labels() -> Mapping[str, Measure]:
    """Measures by MIMIC-IV's label of an item, in lower case."""
    measures_by_item = {**measures("lab"), **measures("chart"), **measures("output")}
    rows = (*dictionary("items"), *dictionary("lab_items"))
    return {
        row["label"].lower(): measures_by_item[row["itemid"]]
        for row in rows
        if row["itemid"] in measures_by_item
    }
