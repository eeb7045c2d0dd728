"""A FHIR interaction: a request, its response, and who answers it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

Resource: TypeAlias = dict[str, Any]
Method: TypeAlias = Literal["GET", "POST", "PUT", "DELETE"]


@dataclass(frozen=True, slots=True)
class Request:
    """A request to a FHIR server.

    Attributes:
        path: the address below the server's base with its query, percent-encoded:
            `Observation?patient=1&_count=20`.
        headers: header fields, their names in lower case.
        body: a resource, or the text of a form for a search by POST.
    """

    method: Method
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Resource | str | None = None


@dataclass(frozen=True, slots=True)
class Response:
    """A server's response.

    Attributes:
        body: a resource, a Bundle or an OperationOutcome; None if there is no content.
        headers: header fields such as `etag` and `location`, their names in lower case.
    """

    status: int
    body: Resource | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


class FhirServer(Protocol):
    """Answers FHIR requests: a local record, or a server at a URL."""

    def handle(self, request: Request) -> Response:
        """Answers a request; faults of the request are responses with an OperationOutcome."""
        ...

    def close(self) -> None:
        """Frees its resources."""
        ...
