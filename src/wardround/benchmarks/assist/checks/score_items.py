"""Rubric items about a clinical score without its number: total, parts, and what is missing."""

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

from wardround.benchmarks.assist.checks.items import compile_statement
from wardround.benchmarks.assist.checks.model import Finding
from wardround.benchmarks.assist.checks.quantities import POINTS, quantities
from wardround.benchmarks.assist.checks.recomputed_scores import recomputed
from wardround.benchmarks.assist.checks.score_names import (
    named_parts,
    named_scores,
    part_places,
    score_ends,
    score_places,
)
from wardround.benchmarks.assist.checks.sentences import sentences
from wardround.benchmarks.assist.checks.sources import Evidence
from wardround.benchmarks.assist.tasks import GoldTurn, Language
from wardround.core.verdict import State
from wardround.ehr.terms.chinese import plain
from wardround.ehr.terms.scores import FUNCTIONS, Part, Score
from wardround.ehr.terms.scores.points import known_points

_MISSING = re.compile(
    r"\b(?:missing|unavailable|unknown|not (?:available|known|measured|recorded|documented|charted"
    r"|found|in the record)|no (?:record|data|value|result|measurement)s?|lack(?:s|ing)?|without"
    r"|(?:can|could) ?not be (?:assessed|scored|determined|evaluated|calculated))\b"
    r"|缺失|缺少|缺乏|未知|未测|未查|未记录|没有记录|无记录|无数据|没有数据|不可用|无法评估|未提供|不详",
    re.IGNORECASE,
)
_COMPONENTS = re.compile(
    r"\b(?:with|and|from|of|to|each|every|all|individual|its|the)\b(?:\W+\w+)?\W+"
    r"(?:parts?|components?|criteria|criterion|items?|elements?|variables?)\b"
    r"|\bcomponent\b|\bbreakdown\b|及?其?[每各](?:个|一)?(?:项目?|组成部分|部分|组成)|及其组成(?:部分)?|明细",
    re.IGNORECASE,
)
_COMPUTES = re.compile(r"\b(?:comput|calculat|deriv)|计算|算出|得出", re.IGNORECASE)
_OF_POINTS = re.compile(r"\bpoints?\b|得分|计分|分值|分数", re.IGNORECASE)
_POINT = re.compile(
    r"(?<![\d.])(\d(?:\.5)?)\s*(?:points?|pts?)\b|(?<![\d.])(\d(?:\.5)?)\s*分(?![钟升])", re.I
)
_BARE = re.compile(
    r"(?:[(:：=+（]|\bis|\bscores|为|计|得)\s*\+?(\d(?:\.5)?)\s*(?=$|[)）,，;；。.])", re.I
)
_PART_END = re.compile(r"[,，、;；。\n]|\.(?!\d)|\b(?:and|plus)\b|[和加](?!重)")
_COLON = re.compile(r"[:：]")
# Words of an item about a score that say nothing else.
_PLAIN = re.compile(
    r"^(?:scor|total|correct|accurat|comput|calculat(?!ion)|result"
    r"|points?|right|record|patient|numb|final|overall|report|data|from|chart|availabl|lab|labs"
    r"|laboratory|laborator|giv|recent|latest|valu|us|bas)[\w']*$"
)
_PLAIN_HAN = re.compile(
    r"评分|总分|得分|分数|分值|正确|准确|计算|患者|数值|结果|根据|病历|化验|最新|最近|列出|得出|算出|给出|的|总|值"
)
# Scores whose parts are terms of a formula, and have no points.
_FORMULAS = ("meld", "cockcroft_gault")
_CONFIG = ConfigDict(frozen=True, extra="forbid", defer_build=True)
_PASSED = Finding("passed")
_CLOSE = 0.51  # a total may be rounded


class ScoreItem(BaseModel):
    """An item about a clinical score that is computed again from what the calls returned.

    Attributes:
        score: the function of the score.
        test: the total is right; so are the parts that it is made of; the points of parts are
            right; missing parts are named as such.
        parts: the names of the parts that it is about; without any, all.
        points: the points that the item gives a part; None if it gives none.
    """

    model_config = _CONFIG
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
    if (
        len(scores) != 1
        or not scores <= FUNCTIONS.keys()
        or compile_statement(text, language).forbidden
    ):
        return None
    [score] = scores
    named = bool(named_scores(text))
    parts = tuple(sorted(named_parts(text, score)))
    if _MISSING.search(text):
        return ScoreItem(score=score, test="missing", parts=parts) if named else None
    points = _points(text)
    if len(parts) == 1 and len(points) == 1 and not _other_numbers(text):
        return ScoreItem(score=score, test="points", parts=parts, points=points[0])
    rest = _COMPONENTS.sub(" ", text)
    if not named or quantities(text) or not _says_little(rest, score, language):
        return None
    if rest != text and _OF_POINTS.search(text):
        return None if score in _FORMULAS else ScoreItem(score=score, test="points", parts=parts)
    if rest == text and not parts:
        return ScoreItem(score=score, test="total")
    if rest == text and not _COMPUTES.search(text):
        return None
    return ScoreItem(score=score, test="components", parts=parts)


def decide_score(item: ScoreItem, answer: str, evidence: Evidence) -> Finding:
    """Decides an item about a score on an answer and what its session's calls returned."""
    scores = recomputed(item.score, evidence)
    match item.test:
        case "total":
            return _decide_total(item, answer, scores)
        case "components":
            return _decide_components(item, answer, scores)
        case "points" if item.points is not None:
            return _decide_stated_points(item, answer)
        case "points":
            return _decide_points(item, answer, scores)
        case "missing":
            return _decide_missing(item, answer, scores)


def _decide_total(item: ScoreItem, answer: str, scores: Sequence[Score]) -> Finding:
    """A total passes if it is right with missing parts counted 0.

    Another one fails, unless it is possible and the answer knows a missing part from elsewhere.
    """
    stated = list(_totals(answer, item.score))
    if not stated:
        return _without_total(item, answer)
    if not scores:
        return Finding("undecided", f"no result of a call is an input of {item.score}")
    right = {score.assumed for score in scores if score.assumed is not None}
    fits = [any(abs(total - each) < _near(each) for each in right) for total in stated]
    if all(fits):
        return _PASSED
    if any(fits):
        return Finding("undecided", f"the answer has several totals of {item.score}")
    low, high = min(score.low for score in scores), max(score.high for score in scores)
    possible = [total for total in stated if low - 0.5 <= total <= high + 0.5]
    missing = {part.name for score in scores for part in score.parts if part.missing}
    if not possible or missing.isdisjoint(_parts_said(answer, item.score)):
        wanted = " or ".join(f"{each:g}" for each in sorted(right))
        return Finding("failed", f"{item.score} is {wanted}, not {stated[0]:g}")
    return Finding("undecided", f"{item.score} may be {low:g} to {high:g}")


def _parts_said(answer: str, score: str) -> frozenset[str]:
    """The parts that an answer names other than as missing."""
    said = [sentence for sentence in sentences(answer) if not _MISSING.search(sentence)]
    return named_parts(" ; ".join(said), score)


def _without_total(item: ScoreItem, answer: str) -> Finding:
    """A sentence with the score and a number may state its total in another way."""
    for sentence in sentences(answer):
        if item.score in named_scores(sentence) and quantities(sentence):
            return Finding("undecided", f"no number can be read as the total of {item.score}")
    return Finding("failed", f"the answer gives no total of {item.score}")


def _near(value: float) -> float:
    """The rounding that a total allows: sums of points none, a clearance to the whole number."""
    return 0.01 if float(value).is_integer() else _CLOSE


def _decide_stated_points(item: ScoreItem, answer: str) -> Finding:
    [part] = item.parts
    stated = _part_points(answer, item.score).get(part, set())
    if item.points in stated:
        return _PASSED if len(stated) == 1 else Finding("undecided", f"{part} has several points")
    if stated:
        return Finding("failed", f"{part} has {min(stated):g} points in the answer")
    if part not in named_parts(answer, item.score):
        return Finding("failed", f"the answer says nothing of {part}")
    return Finding("undecided", f"the answer gives {part} no points of its own")


def _decide_components(item: ScoreItem, answer: str, scores: Sequence[Score]) -> Finding:
    """The total must be right, and the parts that it is made of be named."""
    total = _decide_total(item, answer, scores)
    if total.state != "passed":
        return total
    named = named_parts(answer, item.score)
    wanted = set(item.parts) or {part.name for part in scores[0].parts if known_points(part) > 0}
    if wanted <= named:
        return _PASSED
    silent = f"the answer does not name {min(wanted - named)}"
    # A diagnosis may be named in other words.
    return Finding("undecided" if named else "failed", silent)


def _decide_points(item: ScoreItem, answer: str, scores: Sequence[Score]) -> Finding:
    """The points of each part that has any must be in the answer, and all must be right."""
    stated = _part_points(answer, item.score)
    if not stated:
        return Finding("failed", "the answer gives no part its points")
    if not scores:
        return Finding("undecided", f"no result of a call is an input of {item.score}")
    silent = []
    for part in scores[0].parts:
        given = stated.get(part.name, set())
        ranges = [each for score in scores for each in score.parts if each.name == part.name]
        if given and not any(_allows(each, points) for each in ranges for points in given):
            return Finding("failed", f"{part.name} does not have {min(given):g} points")
        if not given and known_points(part) > 0:
            silent.append(part.name)
    if not silent:
        return _PASSED
    unnamed = sorted(set(silent) - named_parts(answer, item.score))
    state: State = "failed" if unnamed else "undecided"
    return Finding(state, f"the answer gives {(unnamed or silent)[0]} no points")


def _allows(part: Part, points: float) -> bool:
    return part.points.low <= points <= part.points.high


def _decide_missing(item: ScoreItem, answer: str, scores: Sequence[Score]) -> Finding:
    """Every missing part must be named in a sentence that says so."""
    wanted = set(item.parts)
    if not wanted and scores:
        wanted = {part.name for part in scores[0].parts if part.missing}
    if not wanted:
        return Finding("undecided", f"no part of {item.score} is known to be missing")
    said = [sentence for sentence in sentences(answer) if _MISSING.search(sentence)]
    if not said:
        return Finding("failed", "the answer says nothing of missing parts")
    named = {part for sentence in said for part in named_parts(sentence, item.score)}
    if wanted <= named:
        return _PASSED
    if not named:
        return Finding("undecided", "the answer names no part that is missing")
    return Finding("failed", f"the answer does not say that {min(wanted - named)} is missing")


def _totals(answer: str, score: str) -> Iterator[float]:
    """The totals that an answer gives a score: the first plain number behind each name of it."""
    for sentence in sentences(answer):
        found = [q for q in quantities(sentence) if q.unit in ("", POINTS, "point", "mL/min")]
        others = [start for start, _ in score_places(sentence)]
        for end in score_ends(sentence, score):
            until = min((start for start in others if start >= end), default=len(sentence))
            behind = [q for q in found if end <= q.start < until]
            parts = [place for place, _ in part_places(sentence[:until], score) if place >= end]
            if behind and behind[0].start < min(parts, default=until):
                yield behind[0].value


def _part_points(answer: str, score: str) -> dict[str, set[float]]:
    """The points that an answer gives each part, where one part and one number stand together."""
    found: dict[str, set[float]] = {}
    for sentence in sentences(answer):
        for given in filter(None, map(str.strip, _PART_END.split(sentence))):
            piece = _COLON.split(given)[-1] if named_scores(given) else given
            parts = named_parts(piece, score)
            points = _points(piece) or [float(m[1]) for m in _BARE.finditer(piece)]
            if len(parts) == 1 and len(points) == 1 and not named_scores(piece):
                found.setdefault(next(iter(parts)), set()).add(points[0])
    return found


def _points(text: str) -> list[float]:
    """The numbers of points in a text."""
    return [float(match[1] or match[2]) for match in _POINT.finditer(text)]


def _other_numbers(text: str) -> bool:
    points = {match.start() for match in _POINT.finditer(text)}
    return any(quantity.start not in points for quantity in quantities(text))


def _says_little(text: str, score: str, language: Language) -> bool:
    """True if an item names a score and says nothing else that an answer must hold."""
    letters = list(plain(text))
    for start, end in (*score_places(text), *part_places(text, score)):
        letters[start:end] = " " * (end - start)
    rest = _PLAIN_HAN.sub(" ", "".join(letters)) if language == "zh" else "".join(letters)
    statement = compile_statement(rest, language)
    words = [word for word in statement.words if not _PLAIN.match(word)]
    return not (words or statement.terms or statement.directions or statement.dates)
