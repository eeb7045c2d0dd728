"""Medication orders: home drugs, treatment and routine care."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from wardround.ehr.hospital.antibiotics import DrugNeed, regimen, slot_of
from wardround.ehr.hospital.catalogue import drugs, frequencies, identities, interventions, toml
from wardround.ehr.hospital.catalogue_entries import Drug, Identity, Intervention
from wardround.ehr.hospital.microbiology import cultures
from wardround.ehr.hospital.random_stream import RandomStream
from wardround.ehr.hospital.stays import NOW, Problem, Stay, minutes_after
from wardround.ehr.hospital.ventilation import ventilation


class Order(NamedTuple):
    """One medication order.

    Attributes:
        start: The time of the first dose.
        stop: The end; None if after the current time.
        name: The drug's name in the order, in lower case.
        dose: One dose, in `unit`.
        price: List price in US dollars.
        frequency: The written frequency, such as "BID" or "Q6H:PRN".
        per_day: Doses a day.
        identity: Generic name, brand, form and formulary code.
        carrier: True for the carrier fluid of another order.
        reason: The indicating condition or routine.
    """

    start: datetime
    stop: datetime | None
    name: str
    dose: str
    unit: str
    route: str
    price: float
    frequency: str
    per_day: float
    identity: Identity
    carrier: bool
    reason: str

    @property
    def strength(self) -> str:
        """The dispensed strength, such as "40 mg tablet"."""
        return f"{float(self.dose):g} {self.unit} {self.identity.form}"


def orders(stay: Stay) -> list[Order]:
    """All medication orders of a stay, by start."""
    draw = stay.draw("orders")
    barred = _barred(stay)
    covered: set[str] = set()
    written: list[Order] = []
    for need in _combined(draw, stay, list(_needs(draw, stay)), barred):
        drug, dose = _drug(draw, stay, need)
        labels = {need.group, f"{drug.name} {drug.route}"}
        # Antibiotics that are changed and resumed have two orders.
        if need.group in barred or (labels & covered and not slot_of(need.group)):
            continue
        covered |= labels
        written += _order_and_renewals(draw, stay, need, drug, dose)
    return sorted(written, key=lambda order: (order.start, order.name, order.dose))


def _barred(stay: Stay) -> set[str]:
    """Drug classes contraindicated by illness, allergy or season."""
    barred = {group for problem in stay.problems for group in problem.condition.avoids}
    barred |= {group for allergy in stay.person.allergies for group in allergy.avoids}
    return barred if stay.vaccine_due else barred | {"influenza_vaccine"}


def _combined(
    draw: RandomStream, stay: Stay, needs: list[DrugNeed], barred: set[str]
) -> Iterator[DrugNeed]:
    """The needs, with acute antibiotics combined into one regimen."""
    infection = [need for need in needs if slot_of(need.group) and not need.lasting]
    sedatives = toml("routine")["sedatives"]
    for need in needs:
        if need.group in sedatives:
            yield _while_ventilated(stay, need)
        elif need.lasting or not slot_of(need.group):
            yield need
    if infection:
        yield from regimen(draw, stay, infection, cultures(stay), barred)


def _while_ventilated(stay: Stay, need: DrugNeed) -> DrugNeed:
    """Limit sedation to ventilation, or else to a procedure of some hours."""
    for span in ventilation(stay):
        if span.end > need.start:
            return need._replace(start=max(need.start, span.start), until=span.end)
    return need._replace(until=need.start + timedelta(hours=5))


def _needs(draw: RandomStream, stay: Stay) -> Iterator[DrugNeed]:
    for problem in stay.problems:
        yield from _needs_of(draw, stay, problem)
    routine = toml("routine")["orders"]
    yield from _routine(draw, interventions(routine["everyone"]), stay.admitted)
    if stay.intensive:
        yield from _routine(draw, interventions(routine["intensive"]), stay.intensive[0].start)
    if stay.operation:
        yield from _routine(draw, interventions(routine["theatre"]), stay.operation)


def _routine(
    draw: RandomStream, interventions: tuple[Intervention, ...], start: datetime
) -> Iterator[DrugNeed]:
    for intervention in interventions:
        if draw.chance(intervention.chance):
            # Drugs ordered by the day, such as electrolytes, are limited in time.
            lasting = drugs()[intervention.name][0].days > 1
            time = minutes_after(start, draw.quantile([0.2, 1, 3, 8, 40]))
            yield DrugNeed(intervention.name, time, lasting, "routine")


def _needs_of(draw: RandomStream, stay: Stay, problem: Problem) -> Iterator[DrugNeed]:
    """The needs of one problem; home drugs are fixed for the person."""
    habit = stay.person.draw(f"drugs:{problem.condition.name}")
    operated = stay.operation if problem.acute else None
    began = max(problem.onset, operated or problem.onset)
    for intervention in problem.condition.drugs:
        chance = draw if problem.acute else habit
        if chance.chance(intervention.chance):
            delay = draw.between(0.4, 4) if problem.acute else draw.between(1, 13)
            time = minutes_after(began, delay)
            yield DrugNeed(intervention.name, time, not problem.acute, problem.condition.name)


def _drug(draw: RandomStream, stay: Stay, need: DrugNeed) -> tuple[Drug, str]:
    if need.lasting:
        return stay.person.drug(need.group)
    choice = draw.weighted({drug: drug.weight for drug in drugs()[need.group]})
    return choice, draw.pick(choice.doses)


def _order_and_renewals(
    draw: RandomStream, stay: Stay, need: DrugNeed, drug: Drug, dose: str
) -> Iterator[Order]:
    """The order and its renewals; their dose may change by a step."""
    start = _on_the_hour(need.start)
    last = need.until or (stay.end if need.lasting else _course_end(draw, stay, start))
    routine = toml("routine")
    renewals = 1 if need.group in routine["once"] else routine["renewals"]
    # Life support continues until death.
    upheld = stay.died and need.group in routine["upheld"]
    for _ in range(60 if upheld else renewals):
        if not stay.inside(start) or start >= last:
            return
        stop = _on_the_hour(minutes_after(start, 24 * _days(draw, drug)))
        stop = min(stay.end, stop, need.until or stay.end, *_next_transfer(draw, stay, start))
        yield from _order(draw, stay, need, drug, dose, start, max(stop, start))
        start = stop + timedelta(hours=draw.whole(0, 5))
        if drug.days <= 3 and draw.chance(0.4):
            dose = draw.pick(drug.doses)
        if drug.days <= 2 and not need.until and not upheld and draw.chance(0.3):
            return


def _days(draw: RandomStream, drug: Drug) -> float:
    """The duration of one order; one for the whole stay may be changed after some days."""
    routine = toml("routine")
    if drug.days == 99 and draw.chance(routine["changed"]):
        return draw.quantile(routine["changed_after"])
    return drug.days * draw.between(0.4, 1)


def _next_transfer(draw: RandomStream, stay: Stay, start: datetime) -> list[datetime]:
    """The next transfer after `start`, when orders are rewritten."""
    moves = [time for episode in stay.intensive for time in episode if time > start]
    return moves[:1] if moves and draw.chance(toml("routine")["rewritten"]) else []


def _on_the_hour(time: datetime) -> datetime:
    return time.replace(minute=0) + timedelta(hours=1)


def _course_end(draw: RandomStream, stay: Stay, start: datetime) -> datetime:
    if stay.died:
        return stay.end
    return min(stay.end, start + timedelta(days=draw.quantile(toml("routine")["course"])))


def _order(
    draw: RandomStream,
    stay: Stay,
    need: DrugNeed,
    drug: Drug,
    dose: str,
    start: datetime,
    stop: datetime,
) -> Iterator[Order]:
    ends = None if stay.open and stop >= stay.end else min(stop, NOW)
    often = frequencies().get(drug.group) or frequencies().get(drug.name) or ("DAILY", 1.0)
    order = Order(
        start=start,
        stop=ends,
        name=drug.name,
        dose=dose,
        unit=drug.unit,
        route=drug.route,
        price=drug.price,
        frequency=often[0],
        per_day=often[1],
        identity=identities()[drug.name],
        carrier=False,
        reason=need.reason,
    )
    yield order
    if drug.base:
        volume = f"{float(draw.pick(toml('routine')['carrier']))}"
        identity = identities()[drug.base]
        yield order._replace(
            name=drug.base, dose=volume, unit="ml", price=6.0, identity=identity, carrier=True
        )
