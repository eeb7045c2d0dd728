"""The resources that a search finds, over all of its pages."""

from collections.abc import Iterator

from wardround.ehr.fhir.interaction import FhirServer, Request, Resource
from wardround.ehr.fhir.outcome import FhirError


def searched(server: FhirServer, path: str) -> Iterator[Resource]:
    """The resources of a search, those that it includes among them.

    Raises:
        FhirError: the server refuses the search.
    """
    following: str | None = path
    while following:
        bundle = requested(server, following)
        yield from (entry["resource"] for entry in bundle.get("entry", ()) if "resource" in entry)
        links = (link["url"] for link in bundle.get("link", ()) if link.get("relation") == "next")
        following = next(links, None)


def requested(server: FhirServer, path: str) -> Resource:
    """The resource or the Bundle at an address.

    Raises:
        FhirError: the server refuses the request.
    """
    response = server.handle(Request("GET", path))
    body = response.body or {}
    if response.status == 200 and body.get("resourceType") != "OperationOutcome":
        return body
    issues = body.get("issue") or [{}]
    reason = issues[0].get("diagnostics") or f"The server answered {response.status}."
    raise FhirError(response.status, "processing", str(reason))
