"""Sentences about a computed score: its total or bounds, its parts, and what is missing."""

from collections.abc import Iterator

from wardround.agents.clerk.score_inputs import Computed, computed, input_name
from wardround.agents.clerk.session import Session
from wardround.agents.clerk.wordings import listed, part_name, term, time_words, worded
from wardround.ehr.scores import Part
from wardround.ehr.text.language import Language

_CLEARANCE = "cockcroft_gault"  # a formula of its inputs, which has no points


def score_sentences(
    language: Language, function: str, session: Session, since: int
) -> Iterator[str]:
    """The result of a score, its parts and the inputs that are missing."""
    score = computed(function, session, since)
    yield _total(language, function, score)
    known = [part for part in score.score.parts if any(v is not None for v in part.values.values())]
    if known:
        form = _input if function == _CLEARANCE else _part
        parts = listed(language, (form(language, part, score) for part in known))
        yield worded(language, "score_parts", list=parts)
    unknown = [name for part in score.score.parts for name, v in part.values.items() if v is None]
    if unknown and score.score.low != score.score.high:
        names = (part_name(language, _input_name(language, name)) for name in unknown)
        yield worded(language, "score_missing", list=listed(language, names))


def _total(language: Language, function: str, computed_score: Computed) -> str:
    score = computed_score.score
    named = {"name": score.name, "version": score.version.replace(",", "")}
    if score.assumed is None:
        return worded(language, "score_open", **named)
    if score.low == score.high:
        form = "clearance" if function == _CLEARANCE else "score"
        return worded(language, form, total=_number(score.low), **named)
    return worded(
        language,
        "score_bounds",
        low=_number(score.low),
        high=_number(score.high),
        total=_number(score.assumed),
        **named,
    )


def _part(language: Language, part: Part, score: Computed) -> str:
    low, high = (_number(round(end, 2)) for end in (part.points.low, part.points.high))
    points = low if low == high else worded(language, "score_range", low=low, high=high)
    values = "/".join(_values(language, part, score))
    return worded(
        language, "score_part", name=_part_name(language, part), points=points, values=values
    )


def _input(language: Language, part: Part, score: Computed) -> str:
    values = " ".join(_values(language, part, score))
    return worded(language, "score_input", name=_part_name(language, part), values=values)


def _values(language: Language, part: Part, score: Computed) -> Iterator[str]:
    for name, value in part.values.items():
        if name in score.measured:
            measured = score.measured[name]
            yield f"{measured.value} {time_words(measured.time)}".strip()
        elif name == "female" and value is not None:
            yield worded(language, "sex_female" if value else "sex_male")
        elif name in score.findings:
            yield worded(language, "yes" if score.findings[name] else "no")
        elif value:
            yield f"{value:g}"


def _input_name(language: Language, name: str) -> str:
    return term(language, input_name(name), "test", "diagnosis")


def _part_name(language: Language, part: Part) -> str:
    name = term(language, part.name, "test", "diagnosis")
    return part_name(language, name) if name == part.name else name


def _number(value: float) -> str:
    return f"{round(value, 1):g}"
