"""Antibiotic regimens, and their adjustment to culture results."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from wardround.ehr.hospital.catalogue import toml
from wardround.ehr.hospital.microbiology import CONTAMINANT, Culture
from wardround.ehr.hospital.random_stream import RandomStream
from wardround.ehr.hospital.stays import Stay, minutes_after


class DrugNeed(NamedTuple):
    """An indication for a drug class from a time on.

    Attributes:
        group: The class in data/drugs.tsv.
        lasting: True for a home drug, given throughout the stay.
        reason: The indicating condition, or "routine".
        until: The stop time; None for the usual course.
    """

    group: str
    start: datetime
    lasting: bool
    reason: str
    until: datetime | None = None


def slot_of(group: str) -> str:
    """The slot of an antibiotic in a regimen, which has one drug for each; "" for other drugs."""
    slots: dict[str, list[str]] = toml("antibiotics")["slots"]
    return next((name for name, groups in slots.items() if group in groups), "")


def regimen(
    draw: RandomStream,
    stay: Stay,
    indicated: Sequence[DrugNeed],
    cultures: Sequence[Culture],
    barred: set[str],
) -> list[DrugNeed]:
    """Antibiotic courses with one drug for each slot, narrowed or stopped by culture results.

    Args:
        draw: The stream to draw from.
        stay: The stay.
        indicated: The antibiotics that its problems indicate.
        cultures: The stay's cultures.
        barred: Contraindicated drug classes.

    Returns:
        The courses, without overlaps in a slot.
    """
    if not indicated:
        return []
    courses = [_course(draw, stay, need) for need in _without_duplicates(indicated, barred)]
    positive = _first_answer(cultures)
    if positive is None:
        return [_without_growth(draw, need, cultures) for need in courses]
    return list(_narrowed(draw, stay, courses, positive, barred))


def _without_duplicates(indicated: Sequence[DrugNeed], barred: set[str]) -> Iterator[DrugNeed]:
    """Keep the first drug of a slot, unless a broader one is indicated at least a day later."""
    facts = toml("antibiotics")
    by_slot: dict[str, list[DrugNeed]] = {}
    for need in sorted(indicated, key=lambda need: (need.start, need.group)):
        if need.group in barred:
            continue
        kind = slot_of(need.group)
        current = by_slot.setdefault(kind, [])
        if not current:
            current.append(need)
        elif _broader(need, current[-1]) and (need.start - current[-1].start).days >= 1:
            current[-1] = current[-1]._replace(until=need.start)
            current.append(need)
    wide = {need.group for need in by_slot.get("backbone", ())} & set(facts["anaerobic"])
    for kind, needs in by_slot.items():
        if not (kind == "anaerobe" and wide):
            yield from needs


def _broader(need: DrugNeed, current: DrugNeed) -> bool:
    order: list[str] = toml("antibiotics")["slots"][slot_of(need.group)]
    return order.index(need.group) > order.index(current.group)


def _course(draw: RandomStream, stay: Stay, need: DrugNeed) -> DrugNeed:
    """The planned course."""
    days = draw.quantile(toml("antibiotics")["course"])
    return need._replace(until=min(need.until or stay.end, minutes_after(need.start, 24 * days)))


def _first_answer(cultures: Sequence[Culture]) -> Culture | None:
    """The first culture with a treatable organism."""
    positive_cultures = [
        culture
        for culture in cultures
        if culture.organism not in (None, CONTAMINANT) and culture.susceptibilities
    ]
    return min(
        positive_cultures, key=lambda culture: culture.reported or culture.time, default=None
    )


def _without_growth(draw: RandomStream, need: DrugNeed, cultures: Sequence[Culture]) -> DrugNeed:
    """Stop drugs for resistant organisms after two to three days without growth."""
    is_cultured = any(culture.source == "blood" for culture in cultures)
    stopped = minutes_after(need.start, draw.between(44, 76))
    if (
        slot_of(need.group) == "gram_positive"
        and is_cultured
        and need.until
        and stopped < need.until
    ):
        return need._replace(until=stopped)
    return need


def _narrowed(
    draw: RandomStream, stay: Stay, courses: list[DrugNeed], culture: Culture, barred: set[str]
) -> Iterator[DrugNeed]:
    """Replace empiric drugs by the narrowest effective one once the culture result is known."""
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
        yield DrugNeed(
            target, decided, False, current[0].reason, max(last, minutes_after(decided, 72))
        )


def _narrowest(culture: Culture, barred: set[str]) -> str:
    """The narrowest class to which the organism is susceptible."""
    answers = {item.antibiotic: item.interpretation for item in culture.susceptibilities}
    for group, organisms in toml("antibiograms")["treats"].items():
        tested = organisms.get(culture.organism)
        if tested and group not in barred and (tested == "-" or answers.get(tested) == "S"):
            return str(group)
    return ""
