"""A patient's measurements as the graders read them: by code, sorted by time."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote

from wardround.benchmarks.medagentbench.protocol import NOW
from wardround.core.errors import InfraError
from wardround.ehr.fhir.interaction import FhirServer, Request

NOW_TIME = datetime.fromisoformat(NOW)
DAY = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Measurement:
    """A value with its time, and the time as the record writes it."""

    value: float
    time: datetime
    written: str


def measurements(server: FhirServer, patient: str, code: str) -> list[Measurement]:
    """All values of a code, the oldest first.

    Raises:
        InfraError: the server does not answer.
    """
    path = f"Observation?patient={quote(patient)}&code={quote(code)}&_count=1000"
    found = [_measurement(resource) for resource in found_resources(server, path)]
    return sorted((each for each in found if each), key=lambda each: each.time)


def within_a_day(found: list[Measurement]) -> list[Measurement]:
    """Those of the last 24 hours."""
    return [each for each in found if each.time >= NOW_TIME - DAY]


def age_now(server: FhirServer, patient: str) -> int:
    """The patient's age in whole years.

    Raises:
        InfraError: the server has no such patient with a date of birth.
    """
    for resource in found_resources(server, f"Patient?identifier={quote(patient)}"):
        if birth := resource.get("birthDate"):
            born = datetime.fromisoformat(birth).date()
            today = NOW_TIME.date()
            had_birthday = (today.month, today.day) >= (born.month, born.day)
            return today.year - born.year - (not had_birthday)
    raise InfraError(f"The record has no patient {patient} with a date of birth.")


def found_resources(server: FhirServer, path: str) -> list[dict[str, Any]]:
    """The resources that a search finds, over all its pages.

    Raises:
        InfraError: the server does not answer with a bundle.
    """
    resources: list[dict[str, Any]] = []
    following: str | None = path
    while following:
        response = server.handle(Request("GET", following))
        body = response.body or {}
        if response.status != 200 or body.get("resourceType") != "Bundle":
            raise InfraError(f"The record answered {response.status} to a search for a gold.")
        resources += [entry["resource"] for entry in body.get("entry", ())]
        links = (link["url"] for link in body.get("link", ()) if link.get("relation") == "next")
        following = next(links, None)
    return resources


def _measurement(resource: dict[str, Any]) -> Measurement | None:
    value = (resource.get("valueQuantity") or {}).get("value")
    written = resource.get("effectiveDateTime")
    if not isinstance(value, int | float) or not isinstance(written, str):
        return None
    time = datetime.fromisoformat(written)
    return Measurement(value, time if time.tzinfo else time.astimezone(NOW_TIME.tzinfo), written)
