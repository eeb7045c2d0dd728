"""Reads of single resources: the current one, a version, and the history."""

from datetime import datetime, timedelta
from email.utils import format_datetime
from typing import Any

from wardround.ehr.fhir.index.dates import EPOCH
from wardround.ehr.fhir.interaction import Resource, Response
from wardround.ehr.fhir.outcome import FhirError
from wardround.ehr.fhir.store.overlay import Overlay, Version


def as_read(version: Version) -> Resource:
    """A resource with its version and the time of it in `meta`."""
    meta: dict[str, Any] = dict(version.resource.get("meta", {}))
    meta["versionId"] = str(version.number)
    meta["lastUpdated"] = stamp(instant(version.updated))
    return {**version.resource, "id": version.id, "meta": meta}


def instant(value: int) -> datetime:
    """The instant of milliseconds since 1970 UTC."""
    return EPOCH + timedelta(milliseconds=value)


def stamp(time: datetime) -> str:
    """An instant as FHIR writes it.

    >>> stamp(instant(1500))
    '1970-01-01T00:00:01.500+00:00'
    """
    return time.isoformat(timespec="milliseconds")


def version_headers(version: Version) -> dict[str, str]:
    """The headers that tell a version: a weak ETag and the time."""
    modified = format_datetime(instant(version.updated).replace(microsecond=0), usegmt=True)
    return {"etag": f'W/"{version.number}"', "last-modified": modified}


def existing(overlay: Overlay, type: str, id: str) -> Version:
    """The current version of a resource.

    Raises:
        FhirError: there is none (404), or it was deleted (410).
    """
    version = overlay.current(type, id)
    if version is None:
        raise FhirError(404, "not-found", f"There is no {type}/{id}.")
    if version.deleted:
        raise FhirError(410, "deleted", f"{type}/{id} was deleted.")
    return version


def read_response(overlay: Overlay, type: str, id: str, unless: str = "") -> Response:
    """The current version; 304 if it is among the ETags of an If-None-Match header."""
    version = existing(overlay, type, id)
    headers = version_headers(version)
    tags = {tag.strip().removeprefix("W/").strip('"') for tag in unless.split(",")}
    if str(version.number) in tags or "*" in tags:
        return Response(304, None, headers)
    return Response(200, as_read(version), headers)


def version_response(overlay: Overlay, type: str, id: str, number: str) -> Response:
    """A version by its number."""
    for version in overlay.versions(type, id):
        if str(version.number) == number:
            if version.deleted:
                raise FhirError(410, "deleted", f"{type}/{id} was deleted in version {number}.")
            return Response(200, as_read(version), version_headers(version))
    raise FhirError(404, "not-found", f"{type}/{id} has no version {number!r}.")


def history_bundle(overlay: Overlay, type: str, id: str) -> Response:
    """All versions as a bundle, the newest first."""
    versions = overlay.versions(type, id)
    if not versions:
        raise FhirError(404, "not-found", f"There is no {type}/{id}.")
    entries = [_history_entry(version, oldest=version is versions[-1]) for version in versions]
    return Response(
        200,
        {"resourceType": "Bundle", "type": "history", "total": len(entries), "entry": entries},
    )


def _history_entry(version: Version, *, oldest: bool) -> dict[str, Any]:
    address = f"{version.type}/{version.id}"
    method = "DELETE" if version.deleted else "POST" if oldest else "PUT"
    status = {"DELETE": "204", "POST": "201", "PUT": "200"}[method]
    entry: dict[str, Any] = {"fullUrl": address}
    if not version.deleted:
        entry["resource"] = as_read(version)
    entry["request"] = {"method": method, "url": version.type if method == "POST" else address}
    entry["response"] = {"status": status, "etag": f'W/"{version.number}"'}
    return entry
