"""The course of a disease: how far a value is from healthy at a moment of the stay."""

from datetime import datetime

from wardround.ehr.hospital.catalogue import toml
from wardround.ehr.hospital.stays import Stay, hours_between


def activity(hours: float, peak: float, tau: float) -> float:
    """How active an illness is, hours after its onset: it rises to 1 at its peak and then heals.

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
    """How far a laboratory value or vital sign is from the person's healthy one.

    Long-standing conditions add up; of acute ones the strongest counts, because two reasons for a
    high white count do not make it twice as high.

    Args:
        stay: The stay in which it is measured.
        measure: "labs" or "vitals".
        name: The laboratory test or vital sign.
        time: When it is measured.
        peak: Hours from onset to the worst value.
        tau: Hours from there to half-way back.
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
    """Activity at a time: an operation moves nothing before it, and who dies does not heal."""
    started = max(onset, stay.operation) if stay.operation else onset
    active = activity(hours_between(started, time), peak, tau)
    if not stay.died:
        return active
    passed = hours_between(stay.admitted, time) / stay.hours
    return max(active, 0.45 + 0.75 * passed) if active else 0.0


def _dying(stay: Stay, measure: str, name: str, time: datetime) -> float:
    """What the last hours of life add, whatever the illness."""
    facts = toml("dying")
    size: float = facts[measure].get(name, 0.0)
    if not size:
        return 0.0
    left = hours_between(time, stay.end)
    hours: float = min(facts["hours"], stay.hours)
    return size * max(0.0, 1 - left / hours)
