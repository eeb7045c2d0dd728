"""Time expressions found in a question, in whatever words."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from wardround.ehr.times.filters import TimeFilter
from wardround.ehr.times.model import TimeTemplate, Visit
from wardround.ehr.times.regex_prefilter import Needed, needed
from wardround.ehr.times.templates import template

_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september"),
    *("october", "november", "december"),
)
_NUMBERS = {
    **{word: number for number, word in enumerate(_MONTHS, 1)},
    **{word[:3]: number for number, word in enumerate(_MONTHS, 1)},
    "sept": 9,
}
_COUNTS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBERS |= {word: number for number, word in enumerate(_COUNTS, 1)}
_EDGES = (r"(?<![\w/.-])(?:", r")(?![\w/]|[.-]\w)")


class Found(NamedTuple):
    """A time expression of a question.

    Attributes:
        start: Where it begins in the text.
        end: Where it ends.
    """

    start: int
    end: int
    filter: TimeFilter


class _Wording(NamedTuple):
    template: TimeTemplate
    pattern: re.Pattern[str]
    needed: Needed
    values: Mapping[str, int]


def find_times(text: str) -> tuple[Found, ...]:
    """Every time expression of a question, in its order; they do not overlap.

    The longest wording at a place is taken: "since last year" is not "last year".

    >>> for found in find_times("Was aspirin given first within 2 days since 07/2102?"):
    ...     print(found.filter.template.id, dict(found.filter.values))
    exact-first {}
    within-n_day {'day': 2}
    abs-month-since {'year': 2102, 'month': 7}
    """
    longest_first = sorted(
        _candidates(text), key=lambda found: (found.start - found.end, found.start)
    )
    taken: list[Found] = []
    for found in longest_first:
        if all(found.end <= other.start or other.end <= found.start for other in taken):
            taken.append(found)
    return tuple(sorted(taken, key=lambda found: found.start))


def _candidates(text: str) -> Iterator[Found]:
    rows = _content()["row_of_stays"]
    by_row = rows["templates"] if re.search(rows["asked"], text, re.IGNORECASE) else {}
    lowered = text.casefold()
    for wording in _wordings():
        if wording.needed and not any(part in lowered for part in wording.needed):
            continue
        meaning = wording.template.meaning
        if isinstance(meaning, Visit) and meaning.which in by_row:
            wording = wording._replace(template=template(by_row[meaning.which]))
        for match in wording.pattern.finditer(text):
            filter = _filter(wording, match)
            if filter:
                yield Found(match.start(), match.end(), filter)


def _filter(wording: _Wording, match: re.Match[str]) -> TimeFilter | None:
    said = {name: _number(said) for name, said in match.groupdict().items() if said}
    unit = wording.template.values[0] if wording.template.values else ""
    named = {
        unit if name == "count" else name: value
        for name, value in {**wording.values, **said}.items()
    }
    try:
        return TimeFilter(wording.template, {name: named[name] for name in wording.template.values})
    except ValueError:
        return None


def _number(said: str) -> int:
    return int(said) if said.isdigit() else _NUMBERS[said.lower()]


@cache
def _content() -> dict[str, Any]:
    text = files("wardround.ehr.times").joinpath("wordings.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def _wordings() -> tuple[_Wording, ...]:
    content = _content()
    return tuple(
        wording
        for entry in content["wording"]
        for unit in entry.get("units", [""])
        for wording in _of_unit(entry, content["parts"], unit)
    )


def _of_unit(entry: dict[str, Any], parts: Mapping[str, str], unit: str) -> Iterator[_Wording]:
    meant = template(entry["template"].replace("{unit}", unit))
    for pattern in entry["patterns"]:
        whole = re.sub(r"\{([a-z_]+)\}", lambda name: {**parts, "unit": unit}[name[1]], pattern)
        compiled = re.compile(whole.join(_EDGES), re.IGNORECASE)
        yield _Wording(meant, compiled, needed(whole), entry.get("values", {}))
