"""Sentences about a computed score: its total or bounds, its parts, and what is missing."""

from collections.abc import Iterator

from wardround.agents.clerk.question import Language
from wardround.agents.clerk.score_inputs import Computed, computed
from wardround.agents.clerk.session import Session
from wardround.agents.clerk.wordings import listed, term, worded
from wardround.ehr.terms.scores import Part


def score_sentences(
    language: Language, function: str, session: Session, since: int
) -> Iterator[str]:
    """The result of a score, its parts and the inputs that are missing."""
    found = computed(function, session, since)
    yield _total(language, found)
    parts = [_part(language, part, found) for part in found.score.parts if not part.missing]
    if parts:
        yield worded(language, "score_parts", list=listed(language, parts))
    missing = [_part_name(language, part) for part in found.score.parts if part.missing]
    if missing:
        yield worded(language, "score_missing", list=listed(language, missing))


def _total(language: Language, found: Computed) -> str:
    score = found.score
    named = {"name": score.name, "version": score.version.replace(",", "")}
    if score.assumed is None:
        return worded(language, "score_open", **named)
    if score.low == score.high:
        return worded(language, "score", total=_number(score.low), **named)
    return worded(
        language,
        "score_bounds",
        low=_number(score.low),
        high=_number(score.high),
        total=_number(score.assumed),
        **named,
    )


def _part(language: Language, part: Part, found: Computed) -> str:
    points = round(part.points.low, 2)
    return worded(
        language,
        "score_part",
        name=_part_name(language, part),
        points=_number(points),
        values=" ".join(_values(language, part, found)),
    )


def _values(language: Language, part: Part, found: Computed) -> Iterator[str]:
    for name, value in part.values.items():
        if name in found.measured:
            yield found.measured[name].value
        elif name in found.findings:
            yield worded(language, "yes" if found.findings[name] else "no")
        elif value is not None:
            yield f"{value:g}"


def _part_name(language: Language, part: Part) -> str:
    return term(language, part.name, "test", "diagnosis")


def _number(value: float) -> str:
    return f"{round(value, 1):g}"
