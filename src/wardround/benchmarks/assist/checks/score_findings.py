"""Decides items about clinical scores by computing the score again."""

import re
from collections.abc import Iterator, Sequence

from wardround.benchmarks.assist.checks.evidence import Evidence
from wardround.benchmarks.assist.checks.lexicon import cue
from wardround.benchmarks.assist.checks.recomputed_scores import recomputed
from wardround.benchmarks.assist.checks.score_items import (
    ScoreItem,
    named_parts,
    named_scores,
    part_places,
    points_in,
    score_ends,
    score_places,
)
from wardround.benchmarks.assist.checks.sentences import sentences
from wardround.benchmarks.kit.checks import Finding
from wardround.core.verdict import State
from wardround.ehr.scores import Part, Score
from wardround.ehr.scores.points import known_points
from wardround.ehr.text.quantities import POINTS, quantities

_BARE = re.compile(
    r"(?:[(:：=+（]|\bis|\bscores|为|计|得)\s*\+?(\d(?:\.5)?)\s*(?=$|[)）,，;；。.])", re.I
)
_PART_END = re.compile(r"[,，、;；。\n]|\.(?!\d)|\b(?:and|plus)\b|[和加](?!重)")
_COLON = re.compile(r"[:：]")
_PASSED = Finding("passed")
_CLOSE = 0.51  # a total may be rounded


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
    scored = [text for text in sentences(answer) if not cue("missing").search(text)]
    return named_parts(" ; ".join(scored), score)


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
    on_missing = [text for text in sentences(answer) if cue("missing").search(text)]
    if not on_missing:
        return Finding("failed", "the answer says nothing of missing parts")
    named = {part for sentence in on_missing for part in named_parts(sentence, item.score)}
    if wanted <= named:
        return _PASSED
    if not named:
        return Finding("undecided", "the answer names no part that is missing")
    return Finding("failed", f"the answer does not say that {min(wanted - named)} is missing")


def _totals(answer: str, score: str) -> Iterator[float]:
    """The totals that an answer gives a score: the first plain number behind each name of it."""
    for sentence in sentences(answer):
        numbers = [q for q in quantities(sentence) if q.unit in ("", POINTS, "point", "mL/min")]
        others = [start for start, _ in score_places(sentence)]
        for end in score_ends(sentence, score):
            until = min((start for start in others if start >= end), default=len(sentence))
            behind = [q for q in numbers if end <= q.start < until]
            parts = [at for at, _ in part_places(sentence[:until], score) if at >= end]
            if behind and behind[0].start < min(parts, default=until):
                yield behind[0].value


def _part_points(answer: str, score: str) -> dict[str, set[float]]:
    """The points that an answer gives each part, where one part and one number stand together."""
    by_part: dict[str, set[float]] = {}
    for sentence in sentences(answer):
        for given in filter(None, map(str.strip, _PART_END.split(sentence))):
            piece = _COLON.split(given)[-1] if named_scores(given) else given
            parts = named_parts(piece, score)
            points = points_in(piece) or [float(m[1]) for m in _BARE.finditer(piece)]
            if len(parts) == 1 and len(points) == 1 and not named_scores(piece):
                by_part.setdefault(next(iter(parts)), set()).add(points[0])
    return by_part
