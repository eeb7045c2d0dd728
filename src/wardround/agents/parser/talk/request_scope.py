"""What holds for a whole request: the patient, the visit, the ICU stay and its first hours."""

import re
from dataclasses import replace
from typing import NamedTuple

from wardround.agents.parser.talk.goals import narrows
from wardround.agents.parser.talk.mention_finder import clean, strike
from wardround.agents.parser.talk.numbers import number
from wardround.agents.parser.talk.patterns import meaning, phrase
from wardround.agents.parser.talk.request import Request

_HOURS = {"hour": 1, "day": 24}


class Sentence(NamedTuple):
    """A sentence while it is being understood; `left` has what is understood struck out.

    `within` is how far apart two things of the sentence may be: "30 days".
    """

    said: str
    left: str
    within: str = ""
    same_visit: bool = False


def struck(sentence: Sentence, pattern: re.Pattern[str]) -> Sentence:
    """The sentence with all that fits a pattern struck out."""
    left = sentence.left
    for match in pattern.finditer(left):
        left = strike(left, *match.span())
    return sentence._replace(left=left)


def hear_setting(sentence: Sentence, request: Request) -> tuple[Sentence, Request]:
    """The request with what a sentence says of its setting, and the sentence without it."""
    for hear in (_hear_patient, _hear_stay, _hear_hours, _hear_visit, _hear_return, _hear_within):
        sentence, request = hear(sentence, request)
    found = phrase("indication").search(sentence.left)
    indication = clean(found["thing"]) if found else ""
    words = request.in_words or phrase("in_words").search(sentence.left) is not None
    return sentence, replace(request, indication=indication or request.indication, in_words=words)


def _hear_patient(sentence: Sentence, request: Request) -> tuple[Sentence, Request]:
    found = phrase("patient").search(sentence.left)
    if found is None:
        of_one = not narrows(sentence.left) and phrase("one_patient").search(sentence.left)
        return sentence, replace(request, of_one=request.of_one or bool(of_one))
    patient = found["id"] or found["bare"]
    return struck(sentence, phrase("patient")), replace(request, patient=patient)


def _hear_stay(sentence: Sentence, request: Request) -> tuple[Sentence, Request]:
    found = phrase("icu_stay").search(sentence.left)
    if found is None:
        return sentence, request
    stay = meaning("which", found["which"]) or "last"
    return struck(sentence, phrase("icu_stay")), replace(request, stay=stay)


def _hear_hours(sentence: Sentence, request: Request) -> tuple[Sentence, Request]:
    found = phrase("first_hours").search(sentence.left)
    if found is None:
        return sentence, request
    hours = int(number(found["n"] or found["n2"]) * _HOURS[found["unit"] or found["unit2"]])
    return struck(sentence, phrase("first_hours")), replace(request, hours=hours)


def _hear_visit(sentence: Sentence, request: Request) -> tuple[Sentence, Request]:
    found = phrase("visit").search(sentence.left)
    same = phrase("same_visit").search(sentence.left) is not None
    if found:
        request = replace(request, visit=meaning("which", found["which"]) or "current")
    sentence = struck(struck(sentence, phrase("visit")), phrase("same_visit"))
    request = replace(request, same_visit=request.same_visit or same)
    return sentence._replace(same_visit=same), request


def _hear_return(sentence: Sentence, request: Request) -> tuple[Sentence, Request]:
    """That the patient came back, and how soon."""
    within = phrase("within").search(sentence.left)
    of_return = request.again and within and "discharge" in within[0]
    if not (of_return or phrase("again").search(sentence.left)):
        return sentence, request
    soon = _span(within) if within else "any"
    sentence = struck(struck(sentence, phrase("again")), phrase("within"))
    return sentence, replace(request, again=soon)


def _hear_within(sentence: Sentence, request: Request) -> tuple[Sentence, Request]:
    """How far apart things may be: said of this sentence's, else of those that were in order."""
    found = phrase("within").search(sentence.left)
    if found is None:
        return sentence, request
    sentence = struck(sentence, phrase("within"))._replace(within=_span(found))
    related = next((c for c in reversed(request.conditions) if c.relation), None)
    points_back = phrase("of_that").match(sentence.left[found.end() :])
    if related is None or related.relation is None or points_back is None:
        return sentence, request
    nearer = replace(related, relation=replace(related.relation, within=_span(found)))
    return sentence._replace(within="", left=""), request.with_condition(related, nearer)


def _span(within: re.Match[str]) -> str:
    return f"{number(within['n']):g} {within['unit']}s"
