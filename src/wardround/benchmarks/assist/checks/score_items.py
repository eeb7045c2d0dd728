"""Rubric items about a clinical score without its number; names of scores and their parts."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Literal

from wardround.benchmarks.assist.checks.items import compile_statement
from wardround.benchmarks.assist.checks.lexicon import cue, word_pattern
from wardround.benchmarks.assist.sessions import GoldTurn, Language
from wardround.benchmarks.kit.checks import Check
from wardround.core.packaged_data import read_rows, split_cell
from wardround.ehr.scores import FUNCTIONS
from wardround.ehr.terms.chinese import plain
from wardround.ehr.text.quantities import quantities
from wardround.ehr.text.segments import blanked

_COMPONENTS = re.compile(
    r"\b(?:with|and|from|of|to|each|every|all|individual|its|the)\b(?:\W+\w+)?\W+"
    r"(?:parts?|components?|criteria|criterion|items?|elements?|variables?)\b"
    r"|\bcomponent\b|\bbreakdown\b|及?其?[每各](?:个|一)?(?:项目?|组成部分|部分|组成)|及其组成(?:部分)?|明细",
    re.IGNORECASE,
)
_POINT = re.compile(
    r"(?<![\d.])(\d(?:\.5)?)\s*(?:points?|pts?)\b|(?<![\d.])(\d(?:\.5)?)\s*分(?![钟升])", re.I
)
# Scores whose parts are terms of a formula, and have no points.
_FORMULAS = ("meld", "cockcroft_gault")


def named_scores(text: str) -> frozenset[str]:
    """The scores that a text names, by their functions.

    >>> sorted(named_scores("qSOFA 2 and 终末期肝病模型 12"))
    ['meld', 'qsofa']
    """
    return frozenset(name for name, _, _ in _occurrences(text, _scores()))


def score_ends(text: str, score: str) -> list[int]:
    """The places behind each name of a score in a text."""
    return [end for name, _, end in _occurrences(text, _scores()) if name == score]


def score_places(text: str) -> list[tuple[int, int]]:
    """The places of names of scores in a text."""
    return [(start, end) for _, start, end in _occurrences(text, _scores())]


def named_parts(text: str, score: str) -> frozenset[str]:
    """The parts of a score that a text names.

    >>> sorted(named_parts("age 71, BUN 30", "curb_65"))
    ['age', 'urea']
    """
    parts = _parts().get(score)
    if parts is None:
        return frozenset()
    shown = blanked(plain(text), score_places(text))
    return frozenset(name for name, _, _ in _occurrences(shown, parts))


def part_places(text: str, score: str) -> list[tuple[int, int]]:
    """The places of names of a score's parts in a text."""
    parts = _parts().get(score)
    return [(start, end) for _, start, end in _occurrences(text, parts)] if parts else []


def _occurrences(text: str, names: Mapping[str, re.Pattern[str]]) -> Iterator[tuple[str, int, int]]:
    shown = plain(text)
    places = [(name, *m.span()) for name, each in names.items() for m in each.finditer(shown)]
    for name, start, end in places:
        # "SOFA" is part of "quick SOFA".
        if not any(s <= start and end <= e and e - s > end - start for _, s, e in places):
            yield name, start, end


@cache
def _scores() -> Mapping[str, re.Pattern[str]]:
    return {score: pattern for score, part, pattern in _rows() if not part}


@cache
def _parts() -> Mapping[str, Mapping[str, re.Pattern[str]]]:
    parts: dict[str, dict[str, re.Pattern[str]]] = {}
    for score, part, pattern in _rows():
        if part:
            parts.setdefault(score, {})[part] = pattern
    return parts


@cache
def _rows() -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    return tuple(
        (
            score,
            part,
            re.compile(word_pattern(map(plain, (*split_cell(english), *split_cell(chinese))))),
        )
        for score, part, english, chinese in read_rows(__package__, "score_names.tsv")
    )


class ScoreItem(Check):
    """An item about a clinical score that is computed again from what the calls returned.

    Attributes:
        score: the function of the score.
        test: the total is right; so are the parts that it is made of; the points of parts are
            right; missing parts are named as such.
        parts: the names of the parts that it is about; without any, all.
        points: the points that the item gives a part; None if it gives none.
    """

    kind: Literal["score"] = "score"
    score: str
    test: Literal["total", "components", "points", "missing"]
    parts: tuple[str, ...] = ()
    points: float | None = None


def compile_score(text: str, language: Language, gold: GoldTurn) -> ScoreItem | None:
    """The check of an item about a score that states no total; None for any other item.

    >>> turn = GoldTurn("CR", None, "ehr", None, (), {}, {})
    >>> compile_score("Calculates the MELD score correctly", "en", turn)
    ScoreItem(kind='score', score='meld', test='total', parts=(), points=None)
    >>> compile_score("CURB-65 中年龄计 1 分", "zh", turn).points
    1.0
    """
    scores = named_scores(text) or named_scores(" ".join(gold.rubric.get(language, ())))
    score = next(iter(scores), "")
    if len(scores) > 1 or score not in FUNCTIONS or compile_statement(text, language).forbidden:
        return None
    named = bool(named_scores(text))
    parts = tuple(sorted(named_parts(text, score)))
    if cue("missing").search(text):
        more = not named or quantities(text) or cue("computes").search(text)
        return None if more else ScoreItem(score=score, test="missing", parts=parts)
    points = points_in(text)
    if len(parts) == 1 and len(points) == 1 and not _other_numbers(text):
        return ScoreItem(score=score, test="points", parts=parts, points=points[0])
    rest = _COMPONENTS.sub(" ", text)
    if not named or quantities(text) or not _says_little(rest, score, language):
        return None
    if rest != text and cue("points").search(text):
        return None if score in _FORMULAS else ScoreItem(score=score, test="points", parts=parts)
    if rest == text and not parts:
        return ScoreItem(score=score, test="total")
    if rest == text and not cue("computes").search(text):
        return None
    return ScoreItem(score=score, test="components", parts=parts)


def points_in(text: str) -> list[float]:
    """The numbers of points in a text."""
    return [float(match[1] or match[2]) for match in _POINT.finditer(text)]


def _other_numbers(text: str) -> bool:
    points = {match.start() for match in _POINT.finditer(text)}
    return any(quantity.start not in points for quantity in quantities(text))


def _says_little(text: str, score: str, language: Language) -> bool:
    """True if an item names a score and says nothing else that an answer must hold."""
    rest = blanked(plain(text), (*score_places(text), *part_places(text, score)))
    empty = cue("only of a score")
    rest = empty.sub(" ", rest) if language == "zh" else rest
    statement = compile_statement(rest, language)
    words = [word for word in statement.words if not empty.match(word)]
    return not (words or statement.terms or statement.directions or statement.dates)
