"""The record of sessions: FHIR, a MIMIC-IV database made into FHIR, or the made record."""

import hashlib
from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import quote
from zoneinfo import ZoneInfo

from wardround.benchmarks.assist.sessions import SessionGold
from wardround.core.errors import UserError
from wardround.ehr.fhir.charts import Chart, built_chart, open_chart
from wardround.ehr.fhir.interaction import FhirServer, Request, Resource
from wardround.ehr.fhir.locations import is_fhir
from wardround.ehr.fhir.mimic import HOSPITAL_ZONE, VERSION, resources
from wardround.ehr.fhir.store.builder import build_record
from wardround.ehr.fhir.store.file_format import FORMAT

_DATE = len("2180-01-01")


def open_record(location: str) -> Chart:
    """Opens a FHIR record, or makes one of a database in MIMIC-IV's layout on first use.

    Raises:
        UserError: there is no such place, or it holds neither.
    """
    path = Path(location).expanduser()
    if is_fhir(location) or path.is_dir() or not path.exists():
        return open_chart(location)
    stamp = path.stat()
    name = repr((FORMAT, VERSION, str(path.absolute()), stamp.st_size, stamp.st_mtime_ns))
    return built_chart(
        hashlib.sha256(name.encode()).hexdigest()[:16],
        lambda built: build_record(built, resources(location), source=location),
    )


def first_page(server: FhirServer, path: str) -> list[Resource]:
    """The resources that a search finds on its first page.

    Raises:
        UserError: the record refuses the search.
    """
    response = server.handle(Request("GET", path))
    body = response.body or {}
    if response.status != 200:
        issue = body.get("issue", [{}])[0].get("diagnostics", response.status)
        raise UserError(f"The record refuses the search {path.partition('?')[0]}: {issue}")
    return [entry["resource"] for entry in body.get("entry", ())]


def by_identifier(server: FhirServer, type: str, number: int) -> Resource | None:
    """The patient or encounter with a subject_id or hadm_id as its identifier."""
    matches = first_page(server, f"{type}?identifier={quote(str(number))}&_count=2")
    return matches[0] if matches else None


def instant(gold: SessionGold, server: FhirServer) -> datetime:
    """The instant of a session's clock.

    A published date means the admission's discharge time on that day, else the day's end.

    Raises:
        UserError: the clock is not a time.
    """
    try:
        time = datetime.fromisoformat(gold.clock)
    except ValueError:
        raise UserError(f"The session {gold.session} has no time: {gold.clock!r}.") from None
    zone = ZoneInfo(HOSPITAL_ZONE)
    if len(gold.clock) > _DATE:
        return time if time.tzinfo else time.replace(tzinfo=zone)
    return _discharge(gold, server) or time.replace(tzinfo=zone) + timedelta(days=1, seconds=-1)


def _discharge(gold: SessionGold, server: FhirServer) -> datetime | None:
    encounter = gold.admission and by_identifier(server, "Encounter", gold.admission)
    end = encounter.get("period", {}).get("end", "") if encounter else ""
    return datetime.fromisoformat(end) if end[:_DATE] == gold.clock else None


def sessions_without_record(
    server: FhirServer, golds: Mapping[str, SessionGold]
) -> Collection[str]:
    """The ids of sessions whose patient or admission the record does not hold."""
    absent = []
    for id, gold in golds.items():
        parts = [("Patient", gold.subject), ("Encounter", gold.admission)]
        if not all(by_identifier(server, type, n) for type, n in parts if n is not None):
            absent.append(id)
    return absent
