"""Facts of a patient's record on which golds rest, read as published and by their meaning."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from typing import Any
from urllib.parse import quote

from wardround.benchmarks.medagentbench.protocol import NOW
from wardround.core.errors import InfraError, WardroundError
from wardround.ehr.fhir.interaction import FhirServer, Request
from wardround.ehr.fhir.links import bundle_pages

NOW_TIME = datetime.fromisoformat(NOW)
DAY = timedelta(hours=24)
# The times that Python 3.9 reads, on which the published graders ran; "Z" is none of them.
_PYTHON_39 = re.compile(
    r"\d{4}-\d\d-\d\d(.\d\d(:\d\d(:\d\d(\.\d{3}(\d{3})?)?)?)?([+-]\d\d:\d\d(:\d\d(\.\d{6})?)?)?)?",
    re.ASCII | re.DOTALL,
)


class UnreadableRecordError(WardroundError):
    """The record has something that a gold rests on in a form that its grader cannot read."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """A value with its time, and the time as the record writes it."""

    value: float
    time: datetime
    written: str


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts that a task's gold rests on; None for those missing or not needed.

    Attributes:
        age: the patient's age in whole years.
        last: the last measurement.
        mean: the mean of the measurements.
    """

    age: int | None = None
    last: Measurement | None = None
    mean: float | None = None


def published_measurements(
    server: FhirServer, patient: str, code: str, *, recent: bool, pages: int
) -> Facts:
    """The facts about a code as the published graders read them.

    They read values of any unit, status and date, so of the future too, in the server's order; of
    equal times the first counts.

    Args:
        server: the record without any write of the agent.
        patient: the patient's record number.
        code: the measurement's code.
        recent: only those of the last 24 hours.
        pages: the number of pages of the server that are read.

    Raises:
        UnreadableRecordError: the published grader would fail on a row.
        InfraError: the server does not answer.
    """
    path = f"Observation?patient={quote(patient)}&code={quote(code)}&_count=5000"
    measured = [_as_published(row) for row in found_resources(server, path, pages)]
    try:
        left = [each for each in measured if not recent or each.time >= NOW_TIME - DAY]
        return _facts(left)
    except TypeError as error:  # times with and without an offset
        raise UnreadableRecordError(f"a time of {code} has no offset") from error


def measurements(server: FhirServer, patient: str, code: str, *, recent: bool) -> list[Facts]:
    """The facts about a code, with each of the values at the last time as the last one.

    Measurements of the future do not count.

    Raises:
        UnreadableRecordError: a measurement has no value, or no time of a day at least.
        InfraError: the server does not answer.
    """
    path = f"Observation?patient={quote(patient)}&code={quote(code)}&_count=1000"
    measured = [_by_meaning(row) for row in found_resources(server, path)]
    since = NOW_TIME - DAY if recent else datetime.min.replace(tzinfo=UTC)
    left = [each for each in measured if since <= each.time <= NOW_TIME]
    facts = _facts(left)
    if facts.last is None:
        return [facts]
    tied = {each.value: each for each in left if each.time == facts.last.time}
    return [Facts(last=each, mean=facts.mean) for each in tied.values()]


def age_now(server: FhirServer, patient: str) -> Facts:
    """The age of the first patient with a record number, in whole years.

    Raises:
        UnreadableRecordError: there is no such patient, or the date of birth is not whole.
        InfraError: the server does not answer.
    """
    people = found_resources(server, f"Patient?identifier={quote(patient)}", pages=1)
    try:
        born = date.fromisoformat(next(iter(people))["birthDate"])
    except (StopIteration, KeyError, TypeError, ValueError) as error:
        raise UnreadableRecordError(
            "the record has no such patient with a date of birth"
        ) from error
    today = NOW_TIME.date()
    return Facts(age=today.year - born.year - ((today.month, today.day) < (born.month, born.day)))


def found_resources(
    server: FhirServer, path: str, pages: int | None = None
) -> Iterable[dict[str, Any]]:
    """The resources on the first pages of a search, or on all of them.

    Raises:
        InfraError: the server does not answer with a bundle.
    """
    for response in islice(bundle_pages(server, Request("GET", path)), pages):
        body = response.body or {}
        if response.status != 200 or body.get("resourceType") != "Bundle":
            raise InfraError(f"The record answered {response.status} to a search for a gold.")
        yield from (entry["resource"] for entry in body.get("entry", ()))


def _facts(measured: list[Measurement]) -> Facts:
    last: Measurement | None = None
    for each in measured:
        if last is None or each.time > last.time:
            last = each
    mean = sum(each.value for each in measured) / len(measured) if measured else None
    return Facts(last=last, mean=mean)


def _as_published(row: dict[str, Any]) -> Measurement:
    value, written = _value_and_time(row)
    if not _PYTHON_39.fullmatch(written):
        raise UnreadableRecordError("a measurement's time has a form that Python 3.9 does not read")
    return Measurement(value, _time(written), written)


def _by_meaning(row: dict[str, Any]) -> Measurement:
    value, written = _value_and_time(row)
    time = _time(written)
    return Measurement(value, time if time.tzinfo else time.replace(tzinfo=UTC), written)


def _value_and_time(row: dict[str, Any]) -> tuple[float, str]:
    try:
        value, written = row["valueQuantity"]["value"], row["effectiveDateTime"]
    except (KeyError, TypeError) as error:
        raise UnreadableRecordError("a measurement has no value or no time") from error
    if not isinstance(value, int | float) or not isinstance(written, str):
        raise UnreadableRecordError("a measurement's value is not a number, or its time no text")
    return value, written


def _time(written: str) -> datetime:
    try:
        return datetime.fromisoformat(written)
    except ValueError as error:
        raise UnreadableRecordError("a measurement's time is not whole") from error
