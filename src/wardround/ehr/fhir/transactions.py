"""Transactions and batches: bundles of requests, with references among their resources."""

from collections.abc import Callable, Mapping
from typing import Any

from wardround.ehr.fhir.interaction import Request, Resource, Response
from wardround.ehr.fhir.outcome import FhirError
from wardround.ehr.fhir.store.overlay import Overlay

_HEADERS = {"ifMatch": "if-match", "ifNoneExist": "if-none-exist"}
Answer = Callable[[Request], Response]


def transact(answer: Answer, overlay: Overlay, request: Request) -> Response:
    """Carries out a transaction, all of it or nothing.

    Resources are written in the bundle's order, those that others refer to by `urn:uuid` first.

    Raises:
        FhirError: the body is no transaction, or one of its requests fails.
    """
    bundle = request.body
    if not isinstance(bundle, dict) or bundle.get("resourceType") != "Bundle":
        raise FhirError(400, "structure", "The body is no Bundle; send a transaction as JSON.")
    if bundle.get("type") != "transaction":
        raise FhirError(
            501, "not-supported", f"A bundle of type {bundle.get('type')!r} is not supported."
        )
    entries = bundle.get("entry", [])
    with overlay.transaction():
        done = _carry_out(answer, entries)
    return Response(200, {"resourceType": "Bundle", "type": "transaction-response", "entry": done})


def _carry_out(answer: Answer, entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    places = dict[str, str]()
    done = [dict[str, Any]() for _ in entries]
    for number in _in_order(entries):
        entry = entries[number]
        resource = _resolved(entry.get("resource"), places)
        try:
            response = answer(_request(entry, resource, number))
        except FhirError as error:
            place = f"Entry {number + 1}: {error.diagnostics}"
            raise FhirError(error.status, error.code, place) from None
        done[number] = _result(response)
        if full_url := entry.get("fullUrl"):
            place = response.headers.get("location", "").partition("/_history/")[0]
            places[full_url] = place or full_url
    return done


def _in_order(entries: list[dict[str, Any]]) -> list[int]:
    """The entries' numbers, each after those that it refers to.

    Raises:
        FhirError: resources refer to each other in a circle.
    """
    urls = {entry.get("fullUrl"): number for number, entry in enumerate(entries)}
    order, open_numbers = list[int](), set[int]()

    def visit(number: int) -> None:
        if number in order:
            return
        if number in open_numbers:
            raise FhirError(
                400, "processing", f"Entry {number + 1} refers to itself in a circle; break it."
            )
        open_numbers.add(number)
        for url in _references(entries[number].get("resource")):
            if (target := urls.get(url)) is not None and target != number:
                visit(target)
        order.append(number)

    for number in range(len(entries)):
        visit(number)
    return order


def _references(node: Any) -> set[str]:
    if isinstance(node, dict):
        own = {node["reference"]} if isinstance(node.get("reference"), str) else set[str]()
        return own.union(*(_references(value) for value in node.values()))
    if isinstance(node, list):
        return set[str]().union(*(_references(value) for value in node))
    return set()


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


def _request(entry: dict[str, Any], resource: Resource | None, number: int) -> Request:
    asked = entry.get("request") or {}
    method, url = asked.get("method"), asked.get("url")
    if method not in ("POST", "PUT") or not isinstance(url, str):
        raise FhirError(
            400, "not-supported", f"Entry {number + 1} neither creates nor updates a resource."
        )
    headers = {_HEADERS[name]: asked[name] for name in _HEADERS if name in asked}
    return Request(method, url, headers, resource)


def _result(response: Response) -> dict[str, Any]:
    names = {"location": "location", "etag": "etag", "last-modified": "lastModified"}
    told = {names[name]: value for name, value in response.headers.items() if name in names}
    return {"response": {"status": str(response.status), **told}, "resource": response.body}
