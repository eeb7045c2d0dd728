"""Reads the scope of a request: patient, hospital visit, ICU stay and its first hours."""

import re
from dataclasses import replace
from typing import Literal, NamedTuple, get_args

from wardround.agents.parser.talk.goals import is_narrowing
from wardround.agents.parser.talk.mention_finder import clean, mask_span
from wardround.agents.parser.talk.numbers import number
from wardround.agents.parser.talk.patterns import meaning_of, phrase
from wardround.agents.parser.talk.request import Request
from wardround.ehr.query import Span
from wardround.ehr.query.model import TimeUnit

_ENDS: dict[str, Literal["first", "last"]] = {"first": "first", "last": "last"}
_HOURS = {"hour": 1, "day": 24}


class Sentence(NamedTuple):
    """A sentence as it is read; `remaining` has what was read masked.

    `within` is the maximum distance of two events of the sentence.
    """

    wording: str
    remaining: str
    within: Span | None = None
    same_visit: bool = False


def masked(sentence: Sentence, pattern: re.Pattern[str]) -> Sentence:
    """The sentence with all matches of a pattern masked."""
    remaining = sentence.remaining
    for match in pattern.finditer(remaining):
        remaining = mask_span(remaining, *match.span())
    return sentence._replace(remaining=remaining)


def read_scope(sentence: Sentence, request: Request) -> tuple[Sentence, Request]:
    """Read the scope in a sentence; returns the rest of the sentence and the request."""
    for read in (
        _read_patient,
        _read_stay,
        _read_hours,
        _read_visit,
        _read_return,
        _read_within,
    ):
        sentence, request = read(sentence, request)
    match = phrase("indication").search(sentence.remaining)
    indication = clean(match["thing"]) if match else ""
    words = request.in_words or phrase("in_words").search(sentence.remaining) is not None
    return sentence, replace(request, indication=indication or request.indication, in_words=words)


def _read_patient(sentence: Sentence, request: Request) -> tuple[Sentence, Request]:
    match = phrase("patient").search(sentence.remaining)
    if match is None:
        of_one = not is_narrowing(sentence.remaining) and phrase("one_patient").search(
            sentence.remaining
        )
        return sentence, replace(request, of_one=request.of_one or bool(of_one))
    patient = match["id"] or match["short"] or match["bare"]
    return masked(sentence, phrase("patient")), replace(request, patient=patient)


def _read_stay(sentence: Sentence, request: Request) -> tuple[Sentence, Request]:
    match = phrase("icu_stay").search(sentence.remaining)
    if match is None:
        return sentence, request
    stay = _ENDS.get(meaning_of("which", match[match.lastgroup or 0]), "last")
    return masked(sentence, phrase("icu_stay")), replace(request, stay=stay)


def _read_hours(sentence: Sentence, request: Request) -> tuple[Sentence, Request]:
    match = phrase("first_hours").search(sentence.remaining)
    if match is None:
        return sentence, request
    hours = int(number(match["n"] or match["n2"] or "1") * _HOURS[match["unit"] or match["unit2"]])
    return masked(sentence, phrase("first_hours")), replace(request, hours=hours)


def _read_visit(sentence: Sentence, request: Request) -> tuple[Sentence, Request]:
    match = phrase("visit").search(sentence.remaining)
    same = phrase("same_visit").search(sentence.remaining) is not None
    if match:
        request = replace(request, visit=_ENDS.get(meaning_of("which", match["which"]), "current"))
    sentence = masked(masked(sentence, phrase("visit")), phrase("same_visit"))
    request = replace(request, same_visit=request.same_visit or same)
    return sentence._replace(same_visit=same), request


def _read_return(sentence: Sentence, request: Request) -> tuple[Sentence, Request]:
    """Read a readmission, and how soon it was."""
    within = phrase("within").search(sentence.remaining)
    of_return = request.again and within and "discharge" in within[0]
    if not (of_return or phrase("again").search(sentence.remaining)):
        return sentence, request
    soon: Span | Literal["any"] = _span(within) if within else "any"
    sentence = masked(masked(sentence, phrase("again")), phrase("within"))
    return sentence, replace(request, again=soon)


def _read_within(sentence: Sentence, request: Request) -> tuple[Sentence, Request]:
    """Read a maximum distance: of events of this sentence, else of the last relation."""
    match = phrase("within").search(sentence.remaining)
    if match is None:
        return sentence, request
    sentence = masked(sentence, phrase("within"))._replace(within=_span(match))
    related = next((c for c in reversed(request.conditions) if c.condition.relation), None)
    relation = related.condition.relation if related else None
    points_back = phrase("of_that").match(sentence.remaining[match.end() :])
    if related is None or relation is None or points_back is None:
        return sentence, request
    nearer = related.changed(relation=replace(relation, within=_span(match)))
    return sentence._replace(within=None, remaining=""), request.with_condition(related, nearer)


def _span(within: re.Match[str]) -> Span:
    units: dict[str, TimeUnit] = {unit: unit for unit in get_args(TimeUnit)}
    return Span(number(within["n"]), units[within["unit"]])
