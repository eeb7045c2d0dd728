"""Stays in the hospital: why, when, with what complications, and how they end."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from wardround.ehr.hospital.catalogue import Code, Condition, conditions, toml
from wardround.ehr.hospital.draw import Draw
from wardround.ehr.hospital.people import YEAR, Person, band, likelihood, suits

NOW = datetime(YEAR, 12, 31, 23, 59)
STAYS_OF_A_PERSON = 8


@dataclass(frozen=True)
class Problem:
    """A condition within a stay, from its onset on."""

    condition: Condition
    codes: tuple[Code, ...]
    onset: datetime
    acute: bool


@dataclass(frozen=True)
class Stay:
    """One stay in the hospital.

    Attributes:
        number: 0 for the person's first stay of the year.
        end: Discharge, or the current time while the stay is open.
        version: Edition of the ICD in which the stay is coded, 9 or 10.
        reason: Why the person came; the first of the problems.
        problems: Reason, complications and long-standing conditions, in this order.
        operation: When the operation was, if there was one.
        intensive: From when to when the person was in intensive care, if at all.
        severity: How ill the person was, 1 being usual.
    """

    person: Person
    number: int
    hadm_id: int
    admitted: datetime
    end: datetime
    open: bool
    died: bool
    version: int
    reason: Condition
    problems: tuple[Problem, ...]
    operation: datetime | None
    intensive: tuple[datetime, datetime] | None
    severity: float

    def draw(self, concern: str) -> Draw:
        """This stay's stream of draws for one concern."""
        return self.person.draw(f"{concern}:{self.number}")

    def has(self, name: str) -> bool:
        """Whether the condition of that name is among the stay's problems."""
        return any(problem.condition.name == name for problem in self.problems)

    @property
    def age(self) -> int:
        """Age at admission in whole years."""
        return self.person.age_on(self.admitted.date())

    @property
    def hours(self) -> float:
        """Length of the stay so far."""
        return hours_between(self.admitted, self.end)

    def inside(self, time: datetime) -> bool:
        """Whether the time falls within the stay."""
        return self.admitted <= time < self.end


def hours_between(start: datetime, end: datetime) -> float:
    """Hours from start to end."""
    return (end - start).total_seconds() / 3600


def minutes_after(start: datetime, hours: float) -> datetime:
    """That many hours later, to the minute."""
    return start + timedelta(minutes=int(hours * 60))


def identifier(kind: int, number: int) -> int:
    """An eight-digit number that starts with `kind`, different for every number below 10**7.

    >>> identifier(2, 0) != identifier(2, 1), str(identifier(2, 5))[0]
    (True, '2')
    """
    return kind * 10_000_000 + (number * 4_871_063 + 1_203_557) % 10_000_000


def stays_of(person: Person) -> list[Stay]:
    """The stays of one person within the year, in time order."""
    draw = person.draw("stays")
    facts = toml("people")
    wanted = int(draw.weighted(facts["admissions"]))
    stays: list[Stay] = []
    day = _first_day(draw)
    histories = {condition.name: condition for condition in person.histories}
    while len(stays) < wanted and day < NOW:
        reason = _reason(draw, person, histories, stays)
        for name in reason.needs:
            histories.setdefault(name, conditions("chronic")[name])
        stay = _stay(draw, person, len(stays), day, reason, list(histories.values()))
        stays.append(stay)
        if stay.died or stay.open:
            break
        for name in reason.leaves:
            histories.setdefault(name, conditions("chronic")[name])
        day = stay.end + timedelta(days=draw.quantile(facts["gap"]))
    return stays


def date_of_death(person: Person, stays: list[Stay], destination: str | None) -> date | None:
    """The day a person died, if it is known to be in the year."""
    last = stays[-1]
    if last.died:
        return last.end.date()
    draw = person.draw("death")
    if draw.chance(toml("people")["death_after"].get(destination, 0.0)):
        day = last.end.date() + timedelta(days=draw.whole(2, 90))
        return day if day < NOW.date() else None
    return None


def _first_day(draw: Draw) -> datetime:
    facts = toml("people")
    if draw.chance(facts["late"]):
        return NOW - timedelta(days=draw.between(0.2, facts["late_days"]))
    return datetime(YEAR, 1, 1) + timedelta(days=draw.between(0, 340))


def _reason(
    draw: Draw, person: Person, histories: dict[str, Condition], stays: list[Stay]
) -> Condition:
    if stays and draw.chance(stays[-1].reason.returns):
        return stays[-1].reason
    done = {stay.reason.name for stay in stays if stay.reason.once}
    age = person.age_on(date(YEAR, 7, 1))
    weights = {
        name: likelihood(condition, condition.weight, age, person.female, set(histories))
        for name, condition in conditions("acute").items()
        if name not in done and _possible(condition, person, age, histories)
    }
    return conditions("acute")[draw.weighted(weights)]


def _possible(
    condition: Condition, person: Person, age: int, histories: dict[str, Condition]
) -> bool:
    """Whether what the condition needs goes with what the person is and has."""
    missing = [conditions("chronic")[name] for name in condition.needs if name not in histories]
    barred = {name for history in histories.values() for name in history.excludes}
    return all(
        suits(need, age, person.female)
        and need.name not in barred
        and not set(need.excludes) & set(histories)
        for need in missing
    )


def _stay(
    draw: Draw,
    person: Person,
    number: int,
    day: datetime,
    reason: Condition,
    histories: list[Condition],
) -> Stay:
    facts = toml("people")
    first, last = facts["entry"][reason.entry]["hours"]
    admitted = minutes_after(
        day.replace(hour=0, minute=0, second=0, microsecond=0), draw.between(first, last)
    )
    if admitted >= NOW - timedelta(hours=3):
        admitted -= timedelta(days=1)
    severity = 0.75 + 0.5 * draw.uniform()
    found = _complications(draw, reason, severity)
    grave = any(condition.name in facts["grave"] for condition in found)
    died = draw.chance(_risk(reason, person.age_on(admitted.date()), grave))
    planned = _discharge(draw, admitted, reason, found, died)
    is_open = planned >= NOW
    end = min(planned, NOW)
    operation = _operation(draw, reason, admitted, end)
    names = {name for item in (reason, *found) for name in item.absorbs}
    started = operation or admitted
    acute = [_problem(person, reason, admitted, True)] + [
        _problem(person, item, _onset(draw, item, started, end), True) for item in found
    ]
    present = {problem.condition.name for problem in acute}
    chronic = [
        _problem(person, item, admitted, False) for item in histories if item.name not in present
    ]
    return Stay(
        person=person,
        number=number,
        hadm_id=identifier(2, person.index * STAYS_OF_A_PERSON + number),
        admitted=admitted,
        end=end,
        open=is_open,
        died=died and not is_open,
        version=9 if person.draw(f"edition:{number}").chance(facts["icd9"]) else 10,
        reason=reason,
        problems=tuple(_spoken_for(acute + chronic, names)),
        operation=operation,
        intensive=_intensive(draw, reason, found, admitted, end, operation, died),
        severity=severity,
    )


def _complications(draw: Draw, reason: Condition, severity: float) -> list[Condition]:
    """What the reason brings, and what that brings in turn."""
    found: dict[str, Condition] = {}
    waiting = [reason]
    while waiting:
        for wish in waiting.pop(0).complications:
            if draw.chance(min(1.0, wish.chance * severity)) and wish.name not in found:
                found[wish.name] = conditions("complications")[wish.name]
                waiting.append(found[wish.name])
    return list(found.values())


def _risk(reason: Condition, age: int, grave: bool) -> float:
    facts = toml("people")
    factor = facts["death_if_grave"] if grave else facts["death_otherwise"]
    return float(min(0.7, reason.death * facts["death_by_age"][band(age)] * factor))


def _discharge(
    draw: Draw, admitted: datetime, reason: Condition, found: list[Condition], died: bool
) -> datetime:
    """When the stay ends: people go home between ten and six, and die at any hour."""
    days = draw.quantile(reason.days) + 0.35 * sum(item.late or item.icu for item in found)
    left = minutes_after(admitted, 24 * days)
    if died or days < 1:
        return left
    hour = draw.between(10.5, 18.5)
    return minutes_after(left.replace(hour=0, minute=0), hour) + timedelta(
        days=1 if left.date() == admitted.date() else 0
    )


def _operation(draw: Draw, reason: Condition, admitted: datetime, end: datetime) -> datetime | None:
    if not reason.theatre:
        return None
    planned = toml("people")["entry"][reason.entry]["emergency_room"] is False
    wait = draw.between(1.5, 4) if planned else draw.between(6, 26)
    time = minutes_after(admitted, wait)
    return time if time < end - timedelta(hours=6) else None


def _onset(draw: Draw, condition: Condition, started: datetime, end: datetime) -> datetime:
    hours = hours_between(started, end)
    if not condition.late:
        return started
    return minutes_after(started, min(draw.quantile([4, 16, 36, 66, 130]), 0.75 * hours))


def _problem(person: Person, condition: Condition, onset: datetime, acute: bool) -> Problem:
    return Problem(condition, person.codes(condition), onset, acute)


def _spoken_for(problems: list[Problem], absorbed: set[str]) -> Iterator[Problem]:
    """The problems, without the codes of those that another one's code already says."""
    for problem in problems:
        absorbed |= set(problem.condition.absorbs)
    for problem in problems:
        silent = problem.condition.name in absorbed
        yield Problem(
            problem.condition, () if silent else problem.codes, problem.onset, problem.acute
        )


def _intensive(
    draw: Draw,
    reason: Condition,
    found: list[Condition],
    admitted: datetime,
    end: datetime,
    operation: datetime | None,
    died: bool,
) -> tuple[datetime, datetime] | None:
    chance = min(1.0, reason.intensive * toml("people")["intensive_tilt"])
    if not (draw.chance(chance) or any(item.icu for item in found)):
        return None
    if operation is not None:
        start = minutes_after(operation, draw.between(4, 7))
    else:
        start = minutes_after(admitted, draw.quantile([0.5, 1.5, 3, 7, 30]))
    left = hours_between(start, end)
    if left < 16:
        return None
    share = 1.0 if died else draw.quantile([0.2, 0.35, 0.48, 0.62, 0.85])
    longest = left if died else left - 6
    return start, min(end, minutes_after(start, min(longest, max(14.0, share * left))))
