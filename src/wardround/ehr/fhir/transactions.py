"""Transactions: bundles of creates and updates, with references among their resources."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wardround.ehr.fhir.definitions import resource_types
from wardround.ehr.fhir.interaction import Request, Resource, Response
from wardround.ehr.fhir.outcome import FhirError
from wardround.ehr.fhir.reads import as_read, version_headers
from wardround.ehr.fhir.store.overlay import Version
from wardround.ehr.fhir.writes import Writer

_HEADERS = {"ifMatch": "if-match", "ifNoneExist": "if-none-exist"}
_RESULTS = {"location": "location", "etag": "etag"}


@dataclass(frozen=True, slots=True)
class _Step:
    """An entry with the place that its resource gets, or has already.

    Attributes:
        number: the entry's number, from one.
        url: the address by which other entries refer to it.
        old: the resource that `ifNoneExist` found.
    """

    number: int
    url: str
    request: Request
    type: str
    id: str
    old: Version | None = None


def transact(writer: Writer, request: Request) -> Response:
    """Carries out a transaction; the caller undoes it if it fails.

    All places are known before the first write, so entries may refer to each other in any order.

    Raises:
        FhirError: the body is not a transaction, or one of its requests fails.
    """
    steps = _steps(writer, request)
    places = {step.url: f"{step.type}/{step.id}" for step in steps if step.url}
    done = [_result(_carry_out(writer, step, places)) for step in steps]
    return Response(200, {"resourceType": "Bundle", "type": "transaction-response", "entry": done})


def _steps(writer: Writer, request: Request) -> list[_Step]:
    steps, new = list[_Step](), 0
    for number, entry in enumerate(_entries(request), start=1):
        try:
            step = _step(writer, entry, number, request, new)
        except FhirError as error:
            raise _at_entry(number, error) from None
        if any((step.type, step.id) == (each.type, each.id) for each in steps if not step.old):
            raise FhirError(
                400, "processing", f"Entry {number}: {step.type}/{step.id} is written twice."
            )
        new += step.request.method == "POST" and step.old is None
        steps.append(step)
    return steps


def _entries(request: Request) -> list[dict[str, Any]]:
    bundle = request.body
    if not isinstance(bundle, dict) or bundle.get("resourceType") != "Bundle":
        raise FhirError(400, "structure", "The body is no Bundle; send a transaction as JSON.")
    if (kind := bundle.get("type")) != "transaction":
        raise FhirError(
            501, "not-supported", f"A Bundle of type {kind!r} is not supported; send a transaction."
        )
    entries = bundle.get("entry", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise FhirError(400, "structure", "The Bundle's entry is not a list of objects.")
    return entries


def _step(writer: Writer, entry: dict[str, Any], number: int, whole: Request, ahead: int) -> _Step:
    asked = entry.get("request")
    asked = asked if isinstance(asked, dict) else {}
    method, parts = asked.get("method"), str(asked.get("url", "")).strip("/").split("/")
    if (method, len(parts)) not in (("POST", 1), ("PUT", 2)):
        raise FhirError(
            501, "not-supported", "The request is neither POST Type nor PUT Type/ID; send it alone."
        )
    if parts[0] not in resource_types():
        raise FhirError(404, "not-found", f"There are no resources of type {parts[0]!r} here.")
    headers = {_HEADERS[name]: str(asked[name]) for name in _HEADERS if name in asked}
    headers["prefer"] = whole.headers.get("prefer", "")
    resource = entry.get("resource")
    body = resource if isinstance(resource, dict) else None
    request = Request("POST" if method == "POST" else "PUT", "/".join(parts), headers, body)
    url = str(entry.get("fullUrl", ""))
    if method == "PUT":
        return _Step(number, url, request, parts[0], parts[1])
    old = writer.match(parts[0], request)
    id = old.id if old else writer.new_id(parts[0], ahead)
    return _Step(number, url, request, parts[0], id, old)


def _carry_out(writer: Writer, step: _Step, places: Mapping[str, str]) -> Response:
    request = Request(
        step.request.method,
        step.request.path,
        step.request.headers,
        _resolved(step.request.body, places),
    )
    try:
        if request.method == "PUT":
            return writer.update(step.type, step.id, request)
        if step.old:
            location = {"location": f"{step.type}/{step.id}/_history/{step.old.number}"}
            return Response(200, as_read(step.old), version_headers(step.old) | location)
        return writer.create_as(step.type, step.id, request)
    except FhirError as error:
        raise _at_entry(step.number, error) from None


def _at_entry(number: int, error: FhirError) -> FhirError:
    return FhirError(
        error.status, error.code, f"Entry {number}: {error.diagnostics}", error.details
    )


def _resolved(node: Any, places: Mapping[str, str]) -> Any:
    """A resource with references to the bundle's own resources replaced."""
    if isinstance(node, dict):
        return {
            name: places.get(value, value)
            if name == "reference" and isinstance(value, str)
            else _resolved(value, places)
            for name, value in node.items()
        }
    return [_resolved(value, places) for value in node] if isinstance(node, list) else node


def _result(response: Response) -> Resource:
    outcome = {
        _RESULTS[name]: value for name, value in response.headers.items() if name in _RESULTS
    }
    body = response.body or {}
    answer: dict[str, Any] = {"status": str(response.status), **outcome}
    if stamp := body.get("meta", {}).get("lastUpdated"):
        answer["lastModified"] = stamp
    if body.get("resourceType") == "OperationOutcome":
        return {"response": answer | {"outcome": body}}
    return ({"resource": body} if body else {}) | {"response": answer}
