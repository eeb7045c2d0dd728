"""Writes of single resources: create, update, delete, each a version of its own."""

import re
from collections.abc import Callable
from typing import Any, TypeAlias
from uuid import NAMESPACE_OID, uuid5

from wardround.ehr.fhir.admission import Admission
from wardround.ehr.fhir.interaction import Request, Resource, Response
from wardround.ehr.fhir.outcome import FhirError, outcome
from wardround.ehr.fhir.reads import as_read, existing, version_headers
from wardround.ehr.fhir.store.overlay import Overlay, Version
from wardround.ehr.fhir.store.rows import body_of

# The resources that a condition such as `identifier=x` finds in a type, at most two.
Matches: TypeAlias = Callable[[str, str], list[dict[str, Any]]]
_ETAG = re.compile(r'(?:W/)?"(\d+)"')
_RETURN = re.compile(r"return\s*=\s*(\w+)")


class Writer:
    """Writes versions of resources.

    Args:
        overlay: the record with its writes.
        zone: the name of the time zone of times without an offset.
        fingerprint: the record's digest, from which new ids are derived.
        admission: the treatment of resources that are not R4.
        matches: finds resources by a condition.

    Attributes:
        time: the time of the writes, in milliseconds.
    """

    def __init__(
        self, overlay: Overlay, zone: str, fingerprint: str, admission: Admission, matches: Matches
    ) -> None:
        self.time = 0
        self._overlay = overlay
        self._zone = zone
        self._fingerprint = fingerprint
        self._admission = admission
        self._matches = matches

    def create(self, type: str, request: Request) -> Response:
        """Creates a resource under an id of the server; an existing one with `If-None-Exist`."""
        _body(type, request)
        if old := self.match(type, request):
            return Response(200, as_read(old), version_headers(old))
        return self.create_as(type, self.new_id(type), request)

    def match(self, type: str, request: Request) -> Version | None:
        """The resource that the request's condition finds, which is then not created again."""
        condition = request.headers.get("if-none-exist")
        if not condition:
            return None
        matches = self._matches(type, condition)
        if len(matches) > 1:
            raise FhirError(
                412, "conflict", f"Several {type} match {condition!r}; narrow the condition."
            )
        return existing(self._overlay, type, matches[0]["id"]) if matches else None

    def create_as(self, type: str, id: str, request: Request) -> Response:
        """Creates a resource under an id that is free."""
        return _written(201, self._write(type, id, 1, _body(type, request)), request)

    def new_id(self, type: str, ahead: int = 0) -> str:
        """The id of a new resource: the same for the same writes over the same record.

        Args:
            type: its type.
            ahead: the number of new resources that are written before it.
        """
        number = self._overlay.writes() + ahead + 1
        return str(uuid5(NAMESPACE_OID, f"{self._fingerprint}/{type}/{number}"))

    def update(self, type: str, id: str, request: Request) -> Response:
        """Replaces a resource, or creates it under this id."""
        resource = _body(type, request)
        if resource.get("id") != id:
            raise FhirError(
                400,
                "value",
                f"The body's id is {resource.get('id')!r}; make it {id!r} as in the URL.",
            )
        old = self._overlay.current(type, id)
        _check_version(old, request, f"{type}/{id}")
        version = self._write(type, id, old.number + 1 if old else 1, resource)
        return _written(200 if old and not old.deleted else 201, version, request)

    def delete(self, type: str, id: str, request: Request) -> Response:
        """Deletes a resource; deleting it again changes nothing."""
        old = self._overlay.current(type, id)
        if old is None:
            raise FhirError(404, "not-found", f"There is no {type}/{id}.")
        if not old.deleted:
            _check_version(old, request, f"{type}/{id}")
            gone = Version(0, type, id, old.number + 1, self.time, True, old.resource)
            self._overlay.write(gone, self._zone)
        return Response(204)

    def _write(self, type: str, id: str, number: int, resource: Resource) -> Version:
        version = Version(0, type, id, number, self.time, False, {**resource, "id": id})
        self._admission.check(version)
        self._overlay.write(version, self._zone)
        return version


def _body(type: str, request: Request) -> Resource:
    """The resource of a request.

    Raises:
        FhirError: it is not a resource of this type.
    """
    body = request.body
    if not isinstance(body, dict):
        raise FhirError(400, "structure", f"The body is no {type}; send one as a JSON object.")
    named = body.get("resourceType")
    if named != type:
        raise FhirError(
            400, "structure", f"The body's resourceType is {named!r}; {type} is expected here."
        )
    try:
        body_of(body)
    except ValueError as error:
        raise FhirError(400, "structure", f"The {type} cannot be stored: {error}.") from None
    return body


def _check_version(old: Version | None, request: Request, address: str) -> None:
    wanted = request.headers.get("if-match")
    if wanted is None:
        return
    tag = _ETAG.fullmatch(wanted.strip())
    if tag is None:
        raise FhirError(400, "value", f'If-Match {wanted!r} is not a version such as W/"1".')
    if old is None or old.deleted:
        raise FhirError(412, "conflict", f"{address} has no version {tag[1]}: there is none of it.")
    if str(old.number) != tag[1]:
        raise FhirError(
            412,
            "conflict",
            f"{address} is at version {old.number}, not {tag[1]}; read it and change it again.",
        )


def _written(status: int, version: Version, request: Request) -> Response:
    address = f"{version.type}/{version.id}"
    headers = version_headers(version)
    headers["location"] = f"{address}/_history/{version.number}"
    wish = _RETURN.search(request.headers.get("prefer", ""))
    match wish and wish[1]:
        case "minimal":
            return Response(status, None, headers)
        case "OperationOutcome":
            return Response(status, outcome("informational", f"{address} was written."), headers)
        case _:
            return Response(status, as_read(version), headers)
