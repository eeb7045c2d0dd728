"""Which antibiotics are given together, and how that changes when cultures return."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from wardround.ehr.hospital.catalogue import toml
from wardround.ehr.hospital.microbiology import CONTAMINANT, Culture
from wardround.ehr.hospital.random_stream import Draw
from wardround.ehr.hospital.stays import Stay, minutes_after


class Need(NamedTuple):
    """A class of drug that is wanted from some time on.

    Attributes:
        group: The class in data/drugs.tsv.
        lasting: Whether it is a home drug, given all through the stay.
        reason: The condition that wants it, or "routine".
        until: When it is stopped; None where the usual course decides.
    """

    group: str
    start: datetime
    lasting: bool
    reason: str
    until: datetime | None = None


def slot_of(group: str) -> str:
    """What an antibiotic is for in a regimen, which has one of a kind; empty for other drugs."""
    slots: dict[str, list[str]] = toml("antibiotics")["slots"]
    return next((name for name, groups in slots.items() if group in groups), "")


def regimen(
    draw: Draw, stay: Stay, wanted: Sequence[Need], cultures: Sequence[Culture], barred: set[str]
) -> list[Need]:
    """One antibiotic of a kind at a time, narrowed or stopped when cultures are known.

    Args:
        draw: The stream to draw from.
        stay: The stay.
        wanted: What its problems ask for, antibiotics only.
        cultures: The stay's cultures.
        barred: Classes that this person is not given.

    Returns:
        The courses, none of the same kind overlapping.
    """
    if not wanted:
        return []
    courses = [_course(draw, stay, need) for need in _one_of_a_kind(wanted, barred)]
    positive = _first_answer(cultures)
    if positive is None:
        return [_without_growth(draw, stay, need, cultures) for need in courses]
    return list(_narrowed(draw, stay, courses, positive, barred))


def _one_of_a_kind(wanted: Sequence[Need], barred: set[str]) -> Iterator[Need]:
    """The first of a kind stays, unless a broader one is wanted a day or more later."""
    facts = toml("antibiotics")
    chosen: dict[str, list[Need]] = {}
    for need in sorted(wanted, key=lambda need: (need.start, need.group)):
        if need.group in barred:
            continue
        kind = slot_of(need.group)
        held = chosen.setdefault(kind, [])
        if not held:
            held.append(need)
        elif _broader(need, held[-1]) and (need.start - held[-1].start).days >= 1:
            held[-1] = held[-1]._replace(until=need.start)
            held.append(need)
    wide = {need.group for need in chosen.get("backbone", ())} & set(facts["anaerobic"])
    for kind, needs in chosen.items():
        if not (kind == "anaerobe" and wide):
            yield from needs


def _broader(need: Need, held: Need) -> bool:
    order: list[str] = toml("antibiotics")["slots"][slot_of(need.group)]
    return order.index(need.group) > order.index(held.group)


def _course(draw: Draw, stay: Stay, need: Need) -> Need:
    """How long it is given if nothing changes."""
    days = draw.quantile(toml("antibiotics")["course"])
    return need._replace(until=min(need.until or stay.end, minutes_after(need.start, 24 * days)))


def _first_answer(cultures: Sequence[Culture]) -> Culture | None:
    """The first culture that names a treatable organism."""
    known = [
        culture
        for culture in cultures
        if culture.organism not in (None, CONTAMINANT) and culture.susceptibilities
    ]
    return min(known, key=lambda culture: culture.reported or culture.time, default=None)


def _without_growth(draw: Draw, stay: Stay, need: Need, cultures: Sequence[Culture]) -> Need:
    """What was added for resistant organisms stops after two to three days without growth."""
    looked = any(culture.source == "blood" for culture in cultures)
    stopped = minutes_after(need.start, draw.between(44, 76))
    if slot_of(need.group) == "gram_positive" and looked and need.until and stopped < need.until:
        return need._replace(until=stopped)
    return need


def _narrowed(
    draw: Draw, stay: Stay, courses: list[Need], culture: Culture, barred: set[str]
) -> Iterator[Need]:
    """From the answer on, the narrowest drug that works takes the place of the first guesses."""
    decided = minutes_after(culture.reported or culture.time, draw.between(2, 12))
    target = _narrowest(culture, barred)
    current = [need for need in courses if need.until and need.until > decided]
    guesses = ("backbone", "gram_positive", "atypical", "anaerobe")
    for need in courses:
        guess = need in current and target and slot_of(need.group) in guesses
        if guess and need.group != target:
            need = need._replace(until=decided)
        if need.until is None or need.until > need.start:
            yield need
    running = any(need.group == target and need.start < decided for need in current)
    if target and current and not running and stay.inside(decided):
        last = max(need.until or decided for need in current)
        yield Need(target, decided, False, current[0].reason, max(last, minutes_after(decided, 72)))


def _narrowest(culture: Culture, barred: set[str]) -> str:
    """The first class, narrow ones first, to which the organism is susceptible."""
    answers = {item.antibiotic: item.interpretation for item in culture.susceptibilities}
    for group, organisms in toml("antibiograms")["treats"].items():
        tested = organisms.get(culture.organism)
        if tested and group not in barred and (tested == "-" or answers.get(tested) == "S"):
            return str(group)
    return ""
