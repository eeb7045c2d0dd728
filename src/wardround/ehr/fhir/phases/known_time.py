"""The instant from which a resource is known.

A resource is known from the time that its type's rule names, without one from its encounter's end,
and without that from the end of its patient's last encounter. A known time that is a day only
counts as the encounter's end if that is on the same day, else as the end of the day.
"""

from wardround.ehr.fhir.interaction import Resource
from wardround.ehr.fhir.phases.rules import (
    BILLING_SYSTEM,
    BILLING_TYPE,
    ENDINGS,
    KNOWN,
    MIDNIGHT_IS_A_DAY,
    TIMELESS,
)
from wardround.ehr.fhir.phases.stays import Stays, end_of, start_of, value_at_path


def known_from(resource: Resource, stays: Stays, zone: str) -> int | None:
    """The instant from which a resource is known, in milliseconds; None for ever."""
    kind = resource["resourceType"]
    if kind in TIMELESS:
        return None
    value = _known_time(resource)
    if kind == "Patient":
        return start_of(value, zone)
    if is_billing(resource) or end_of(value, zone) is None:
        return stays.end(resource)
    if _is_day(kind, value):
        return _at_day(value, stays.end(resource), zone)
    return end_of(value, zone)


def ends_at(resource: Resource, stays: Stays, zone: str) -> int | None:
    """The instant from which a resource is known to be over; None if it is not."""
    rule, value = ENDINGS.get(resource["resourceType"]), own_end(resource)
    if not value:
        return stays.end(resource) if rule and rule.with_stay else None
    stay = stays.end(resource)
    return end_of(value, zone) if "T" in value else _at_day(value, stay, zone)


def own_end(resource: Resource) -> str:
    """The element of a resource that says when it ended; "" without one."""
    rule = ENDINGS.get(resource["resourceType"])
    value = value_at_path(resource, rule.time) if rule and rule.time else None
    return value if isinstance(value, str) else ""


def waits_for_encounter(resource: Resource) -> bool:
    """True if an encounter may decide since when a resource, or its end, is known."""
    kind = resource["resourceType"]
    if kind in TIMELESS:
        return False
    rule = ENDINGS.get(kind)
    if kind == "Patient":
        return "deceasedDateTime" in resource or "deceasedBoolean" in resource
    end = own_end(resource)
    if (end and "T" not in end) or (not end and rule is not None and rule.with_stay):
        return True
    return is_billing(resource) or _is_day(kind, _known_time(resource))


def is_billing(resource: Resource) -> bool:
    """True for a procedure with a code of billing, which is written after the stay."""
    codings = (
        value_at_path(resource, "code.coding") if resource["resourceType"] == BILLING_TYPE else None
    )
    return isinstance(codings, list) and any(
        BILLING_SYSTEM in str(value_at_path(each, "system")).lower() for each in codings
    )


def _known_time(resource: Resource) -> str:
    values = (value_at_path(resource, path) for path in KNOWN.get(resource["resourceType"], ()))
    return next((value for value in values if isinstance(value, str)), "")


def _is_day(kind: str, value: str) -> bool:
    return "T" not in value or (kind in MIDNIGHT_IS_A_DAY and value[10:19] == "T00:00:00")


def _at_day(value: str, stay_end: int | None, zone: str) -> int | None:
    """The end of a stay if it is on the day, else the end of the day (or month, or year)."""
    day = value.partition("T")[0]
    first, after = start_of(day, zone), end_of(day, zone)
    if stay_end is not None and first is not None and after is not None:
        return stay_end if first <= stay_end < after else after
    return after
