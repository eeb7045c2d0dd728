"""Disease course: deviation of values from healthy over a stay."""

from datetime import datetime

from wardround.ehr.hospital.catalogue import toml
from wardround.ehr.hospital.stays import Stay, hours_between


def activity(hours: float, peak: float, tau: float) -> float:
    """Activity of an illness, hours after onset: rises to 1 at the peak, then declines.

    >>> activity(-1, 6, 24), activity(6, 6, 24), activity(30, 6, 24)
    (0.0, 1.0, 0.5)
    """
    if hours < 0:
        return 0.0
    if hours < peak:
        return 0.75 + 0.25 * hours / peak
    healed = (hours - peak) / tau
    return 1 / (1 + healed * healed)


def shift(stay: Stay, measure: str, name: str, time: datetime, peak: float, tau: float) -> float:
    """Deviation of a laboratory value or vital sign from the person's healthy value.

    Chronic conditions add up; of acute ones only the strongest counts, because two reasons for a
    high white count do not make it twice as high.

    Args:
        stay: The stay.
        measure: "labs" or "vitals".
        name: The laboratory test or vital sign.
        time: The time of measurement.
        peak: Hours from onset to the worst value.
        tau: Half-life of recovery in hours.
    """
    lasting = 0.0
    strongest = 0.0
    for problem, amount in stay.moves.get((measure, name), ()):
        if not problem.acute:
            lasting += amount
            continue
        pace = problem.condition.pace
        size = amount * _worse(stay, problem.onset, time, pace * peak, pace * tau)
        strongest = max(strongest, size, key=abs)
    return lasting + strongest + (_dying(stay, measure, name, time) if stay.died else 0.0)


def _worse(stay: Stay, onset: datetime, time: datetime, peak: float, tau: float) -> float:
    """Activity at a time: none before an operation, no recovery before death."""
    started = max(onset, stay.operation) if stay.operation else onset
    active = activity(hours_between(started, time), peak, tau)
    if not stay.died:
        return active
    passed = hours_between(stay.admitted, time) / stay.hours
    return max(active, 0.45 + 0.75 * passed) if active else 0.0


def _dying(stay: Stay, measure: str, name: str, time: datetime) -> float:
    """Deviation in the last hours of life, for any illness."""
    facts = toml("dying")
    size: float = facts[measure].get(name, 0.0)
    if not size:
        return 0.0
    hours_left = hours_between(time, stay.end)
    hours: float = min(facts["hours"], stay.hours)
    return size * max(0.0, 1 - hours_left / hours)
