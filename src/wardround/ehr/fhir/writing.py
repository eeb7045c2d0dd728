"""Writes of single resources: create, update, delete, each a version of its own."""

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeAlias
from uuid import NAMESPACE_OID, uuid5

from wardround.ehr.fhir.index.dates import milliseconds
from wardround.ehr.fhir.interaction import Request, Resource, Response
from wardround.ehr.fhir.outcome import FhirError, outcome
from wardround.ehr.fhir.reading import as_read, existing, version_headers
from wardround.ehr.fhir.store.overlay import Overlay, Version

Matches: TypeAlias = Callable[[str, str], list[dict[str, Any]]]
_ETAG = re.compile(r'(?:W/)?"(\d+)"')


class Writer:
    """Writes versions of resources.

    Args:
        overlay: the record with its writes.
        zone: the name of the time zone of times without an offset.
        fingerprint: the record's digest, from which new ids are derived.
        now: the time of a write.
        validation: `refuse` or `record`.
    """

    def __init__(
        self,
        overlay: Overlay,
        zone: str,
        fingerprint: str,
        now: Callable[[], datetime],
        validation: str,
    ) -> None:
        self._overlay = overlay
        self._zone = zone
        self._fingerprint = fingerprint
        self._now = now
        self._validation = validation

    def create(self, type: str, request: Request, matches: Matches) -> Response:
        """Creates a resource under an id of the server; an existing one with `If-None-Exist`."""
        resource = _body(type, request)
        if condition := request.headers.get("if-none-exist"):
            found = matches(type, condition)
            if len(found) > 1:
                raise FhirError(412, "conflict", f"Several {type} match {condition}; name one.")
            if found:
                old = existing(self._overlay, type, found[0]["id"])
                return Response(200, as_read(old), version_headers(old))
        return self.create_as(type, self.new_id(type), resource, request)

    def create_as(self, type: str, id: str, resource: Resource, request: Request) -> Response:
        """Creates a resource under an id that is free."""
        version = self._write(type, id, 1, resource)
        return _written(201, version, request)

    def new_id(self, type: str) -> str:
        """The id of the next new resource: the same for the same writes over the same record."""
        number = self._overlay.writes() + 1
        return str(uuid5(NAMESPACE_OID, f"{self._fingerprint}/{type}/{number}"))

    def update(self, type: str, id: str, request: Request) -> Response:
        """Replaces a resource, or creates it under this id."""
        resource = _body(type, request)
        if resource.get("id", id) != id:
            raise FhirError(
                400, "value", f"The body's id {resource['id']!r} is not {id!r} of the address."
            )
        old = self._overlay.current(type, id)
        _check_version(old, request, f"{type}/{id}")
        version = self._write(type, id, old.number + 1 if old else 1, resource)
        return _written(200 if old and not old.deleted else 201, version, request)

    def delete(self, type: str, id: str) -> Response:
        """Deletes a resource; deleting it again changes nothing."""
        old = self._overlay.current(type, id)
        if old is None:
            raise FhirError(404, "not-found", f"There is no {type}/{id}.")
        if not old.deleted:
            gone = Version(0, type, id, old.number + 1, self._time(), True, old.resource)
            self._overlay.write(gone, self._zone)
        return Response(204)

    def _write(self, type: str, id: str, number: int, resource: Resource) -> Version:
        version = Version(0, type, id, number, self._time(), False, {**resource, "id": id})
        self._overlay.write(version, self._zone)
        return version

    def _time(self) -> int:
        return milliseconds(self._now())


def _body(type: str, request: Request) -> Resource:
    """The resource of a request.

    Raises:
        FhirError: it is no resource of this type.
    """
    body = request.body
    if not isinstance(body, dict):
        raise FhirError(400, "structure", f"The body is no {type}; send one as JSON.")
    if body.get("resourceType") != type:
        found = body.get("resourceType")
        raise FhirError(400, "structure", f"The body's resourceType is {found!r}, not {type}.")
    return body


def _check_version(old: Version | None, request: Request, place: str) -> None:
    wanted = request.headers.get("if-match")
    if wanted is None:
        return
    tag = _ETAG.fullmatch(wanted.strip())
    if tag is None:
        raise FhirError(400, "value", f'If-Match {wanted!r} is no version such as W/"1".')
    if old is None or old.deleted or str(old.number) != tag[1]:
        current = "there is none" if old is None or old.deleted else f"it is at {old.number}"
        raise FhirError(412, "conflict", f"{place} has not version {tag[1]}: {current}; read it.")


def _written(status: int, version: Version, request: Request) -> Response:
    headers = version_headers(version)
    headers["location"] = f"{version.type}/{version.id}/_history/{version.number}"
    match request.headers.get("prefer", "").replace(" ", ""):
        case text if "return=minimal" in text:
            return Response(status, None, headers)
        case text if "return=OperationOutcome" in text:
            done = outcome("processing", f"{version.type}/{version.id} was written.")
            done["issue"][0] |= {"severity": "information", "code": "informational"}
            return Response(status, done, headers)
        case _:
            return Response(status, as_read(version), headers)
