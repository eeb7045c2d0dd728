"""Medication orders: home drugs, treatment and routine care."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from wardround.ehr.hospital.catalogue import Drug, Wish, drugs, toml, wishes
from wardround.ehr.hospital.draw import Draw
from wardround.ehr.hospital.stays import NOW, Problem, Stay, minutes_after


class Order(NamedTuple):
    """One order; stop is None where it would run beyond the current time."""

    start: datetime
    stop: datetime | None
    name: str
    dose: str
    unit: str
    route: str
    price: float


class _Need(NamedTuple):
    """A class of drug that is wanted from some time on."""

    group: str
    start: datetime
    lasting: bool


def orders(stay: Stay) -> list[Order]:
    """All medication orders of a stay, by start."""
    draw = stay.draw("orders")
    avoided = {group for problem in stay.problems for group in problem.condition.avoids}
    taken: set[str] = set()
    found: list[Order] = []
    for need in _needs(draw, stay):
        drug, dose = _drug(draw, stay, need)
        if need.group in avoided or need.group in taken or f"{drug.name} {drug.route}" in taken:
            continue
        taken |= {need.group, f"{drug.name} {drug.route}"}
        found += _written(draw, stay, need, drug, dose)
    return sorted(found, key=lambda order: (order.start, order.name, order.dose))


def _needs(draw: Draw, stay: Stay) -> Iterator[_Need]:
    for problem in stay.problems:
        yield from _needs_of(draw, stay, problem)
    routine = toml("routine")["orders"]
    yield from _routine(draw, wishes(routine["everyone"]), stay.admitted)
    if stay.intensive:
        yield from _routine(draw, wishes(routine["intensive"]), stay.intensive[0])
    if stay.operation:
        yield from _routine(draw, wishes(routine["theatre"]), stay.operation)


def _routine(draw: Draw, wanted: tuple[Wish, ...], start: datetime) -> Iterator[_Need]:
    for wish in wanted:
        if draw.chance(wish.chance):
            # What is given by the day, such as electrolytes, is given for a while only.
            lasting = drugs()[wish.name][0].days > 1
            time = minutes_after(start, draw.quantile([0.2, 1, 3, 8, 40]))
            yield _Need(wish.name, time, lasting)


def _needs_of(draw: Draw, stay: Stay, problem: Problem) -> Iterator[_Need]:
    """What one problem wants: for home drugs the person's own habit decides, once and for all."""
    habit = stay.person.draw(f"drugs:{problem.condition.name}")
    operated = stay.operation if problem.acute else None
    began = max(problem.onset, operated or problem.onset)
    for wish in problem.condition.drugs:
        chance = draw if problem.acute else habit
        if chance.chance(wish.chance):
            delay = draw.between(0.4, 4) if problem.acute else draw.between(1, 13)
            yield _Need(wish.name, minutes_after(began, delay), not problem.acute)


def _drug(draw: Draw, stay: Stay, need: _Need) -> tuple[Drug, str]:
    if need.lasting:
        return stay.person.drug(need.group)
    choice = draw.weighted({drug: drug.weight for drug in drugs()[need.group]})
    return choice, draw.pick(choice.doses)


def _written(draw: Draw, stay: Stay, need: _Need, drug: Drug, dose: str) -> Iterator[Order]:
    """The order and its renewals; the dose of a drug written anew may move a step."""
    start = _on_the_hour(need.start)
    last = stay.end if need.lasting else _course_end(draw, stay, start)
    for _ in range(toml("routine")["renewals"]):
        if not stay.inside(start) or start >= last:
            return
        stop = min(
            stay.end, _on_the_hour(minutes_after(start, 24 * drug.days * draw.between(0.4, 1)))
        )
        yield from _order(draw, stay, drug, dose, start, max(stop, start))
        start = stop + timedelta(hours=draw.whole(0, 5))
        if drug.days <= 3 and draw.chance(0.4):
            dose = draw.pick(drug.doses)
        if drug.days <= 2 and draw.chance(0.3):
            return


def _on_the_hour(time: datetime) -> datetime:
    return time.replace(minute=0) + timedelta(hours=1)


def _course_end(draw: Draw, stay: Stay, start: datetime) -> datetime:
    if stay.died:
        return stay.end
    return min(stay.end, start + timedelta(days=draw.quantile(toml("routine")["course"])))


def _order(
    draw: Draw, stay: Stay, drug: Drug, dose: str, start: datetime, stop: datetime
) -> Iterator[Order]:
    ends = None if stay.open and stop >= stay.end else min(stop, NOW)
    yield Order(start, ends, drug.name, dose, drug.unit, drug.route, drug.price)
    if drug.base:
        volume = f"{float(draw.pick(toml('routine')['carrier']))}"
        yield Order(start, ends, drug.base, volume, "ml", drug.route, 6.0)
