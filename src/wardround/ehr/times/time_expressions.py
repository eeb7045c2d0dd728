"""Finder of time expressions in questions, in many wordings."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from wardround.ehr.text.dates import MONTHS
from wardround.ehr.text.numerals import SMALL_NUMBERS
from wardround.ehr.times.filters import TimeFilter
from wardround.ehr.times.model import TimeTemplate, Visit
from wardround.ehr.times.templates import template

_PIECE = re.compile(r"\(\?P<\w+>|\(\?<?[:!=]|\[[^]]*\]|\\.|\{[\d,]+\}|.")
_AROUND = ("(?<", "(?!", "(?=")

# Literals of which every match contains at least one; empty if there are none.
Literals = tuple[str, ...]

_MOST_IN_WORDS = 10
_NUMBERS = {
    **MONTHS,
    **{word: number for word, number in SMALL_NUMBERS.items() if 1 <= number <= _MOST_IN_WORDS},
}
_EDGES = (r"(?<![\w/.-])(?:", r")(?![\w/]|[.-]\w)")


class TimeExpression(NamedTuple):
    """A time expression of a question.

    Attributes:
        start: Offset of its first character.
        end: Offset after its last character.
    """

    start: int
    end: int
    filter: TimeFilter


class _Wording(NamedTuple):
    template: TimeTemplate
    pattern: re.Pattern[str]
    literals: Literals
    values: Mapping[str, int]


def find_times(text: str) -> tuple[TimeExpression, ...]:
    """The time expressions of a question in order, without overlaps.

    The longest match wins: "since last year" is not "last year".

    >>> for expression in find_times("Was aspirin given first within 2 days since 07/2102?"):
    ...     print(expression.filter.template.id, dict(expression.filter.values))
    exact-first {}
    within-n_day {'day': 2}
    abs-month-since {'year': 2102, 'month': 7}
    """
    longest_first = sorted(_candidates(text), key=lambda each: (each.start - each.end, each.start))
    accepted: list[TimeExpression] = []
    for candidate in longest_first:
        if all(candidate.end <= c.start or c.end <= candidate.start for c in accepted):
            accepted.append(candidate)
    return tuple(sorted(accepted, key=lambda expression: expression.start))


def _candidates(text: str) -> Iterator[TimeExpression]:
    rows = _content()["row_of_stays"]
    by_row = rows["templates"] if re.search(rows["asked"], text, re.IGNORECASE) else {}
    lowered = text.casefold()
    for wording in _wordings():
        if wording.literals and not any(part in lowered for part in wording.literals):
            continue
        meaning = wording.template.meaning
        if isinstance(meaning, Visit) and meaning.which in by_row:
            wording = wording._replace(template=template(by_row[meaning.which]))
        for match in wording.pattern.finditer(text):
            filter = _filter(wording, match)
            if filter:
                yield TimeExpression(match.start(), match.end(), filter)


def _filter(wording: _Wording, match: re.Match[str]) -> TimeFilter | None:
    matched = {name: _number(text) for name, text in match.groupdict().items() if text}
    unit = wording.template.values[0] if wording.template.values else ""
    slot_values = {
        unit if name == "count" else name: value
        for name, value in {**wording.values, **matched}.items()
    }
    try:
        return TimeFilter(
            wording.template, {name: slot_values[name] for name in wording.template.values}
        )
    except ValueError:
        return None


def _number(text: str) -> int:
    return int(text) if text.isdigit() else _NUMBERS[text.lower()]


@cache
def _content() -> dict[str, Any]:
    text = files("wardround.ehr.times").joinpath("wordings.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def _wordings() -> tuple[_Wording, ...]:
    content = _content()
    parts = {**content["parts"], "month_name": rf"(?P<month>{'|'.join(MONTHS)})"}
    return tuple(
        wording
        for entry in content["wording"]
        for unit in entry.get("units", [""])
        for wording in _wordings_of_unit(entry, parts, unit)
    )


def _wordings_of_unit(
    entry: dict[str, Any], parts: Mapping[str, str], unit: str
) -> Iterator[_Wording]:
    time_template = template(entry["template"].replace("{unit}", unit))
    for pattern in entry["patterns"]:
        filled = re.sub(r"\{([a-z_]+)\}", lambda name: {**parts, "unit": unit}[name[1]], pattern)
        compiled = re.compile(filled.join(_EDGES), re.IGNORECASE)
        yield _Wording(time_template, compiled, required_literals(filled), entry.get("values", {}))


def required_literals(pattern: str) -> Literals:
    """Lower-case literals of which every match contains at least one; empty if there are none.

    Args:
        pattern: A regular expression of literals, classes, groups and lookaround.

    >>> required_literals("(?:on )?the (?:first|last) visits?(?! to)")
    (' visit',)
    >>> required_literals("since (?:2 years|months) ago|yesterday")
    ('since ', 'yesterday')
    """
    return _group(iter(_PIECE.findall(pattern)))


def _group(pieces: Iterator[str]) -> Literals:
    """Required literals of the alternatives up to the end of the group."""
    alternatives: list[list[str | Literals]] = [[]]
    for piece in pieces:
        parts = alternatives[-1]
        if piece.startswith("("):
            inside = _group(pieces)
            parts.append(() if piece.startswith(_AROUND) else inside)
        elif piece == ")":
            break
        elif piece == "|":
            alternatives.append([])
        elif piece[0] in "?*{":
            parts[-1] = ()
        else:
            parts.append(piece if len(piece) == 1 and piece not in ".^$+" else ())
    literals = [_best(parts) for parts in alternatives]
    return tuple(text for branch in literals for text in branch) if all(literals) else ()


def _best(parts: Sequence[str | Literals]) -> Literals:
    """The most selective of consecutive required parts: the longest shortest literal."""
    candidates: list[Literals] = [()]
    run = ""
    for part in (*parts, ()):
        if isinstance(part, str):
            run += part.lower()
        else:
            candidates += [(run,)] if run else []
            candidates.append(part)
            run = ""
    return max(candidates, key=lambda texts: min(map(len, texts), default=0))
