"""A FHIR server behind a URL: its answers to requests, and all of its resources page by page."""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from wardround.core.errors import InfraError, UserError
from wardround.ehr.fhir.interaction import Request, Resource, Response
from wardround.ehr.fhir.links import (
    is_below,
    is_whole,
    next_link,
    origin,
    whole_address,
    without_base,
)
from wardround.ehr.fhir.outcome import FhirError

if TYPE_CHECKING:
    import httpx2

_FHIR_JSON = "application/fhir+json"
_FORM = "application/x-www-form-urlencoded"
_TRANSIENT = {429, 502, 503, 504}
_TRIES = 5
PAGE = 500


class RemoteServer:
    """A FHIR server behind a URL.

    Args:
        base: the server's base URL.
        token: a bearer token, if the server wants one.
        client: an HTTP client instead of a new one.
        wait: waits the given seconds before another try.

    Raises:
        UserError: The base is no HTTP URL.
    """

    def __init__(
        self,
        base: str,
        token: str | None = None,
        client: "httpx2.Client | None" = None,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        import httpx2

        if not base.startswith(("http://", "https://")):
            raise UserError(f"{base!r} is not the URL of a FHIR server; begin it with https://.")
        self.base = base.rstrip("/") + "/"
        self._headers = {"authorization": f"Bearer {token}"} if token else {}
        self._links = set[str]()
        timeout = httpx2.Timeout(60.0, connect=15.0)
        self._client = client or httpx2.Client(timeout=timeout, follow_redirects=True)
        self._wait = wait

    def handle(self, request: Request) -> Response:
        """The server's response; a reading request is repeated while the server is too busy.

        Addresses below the base are relative, in requests as in the links of answers. A next link
        that leads out of the base is followed on the same server; other addresses are refused.

        Raises:
            InfraError: The server cannot be reached, or it does not answer in FHIR's JSON.
        """
        if not is_below(request.path) and request.path not in self._links:
            return refused_address(request.path, self.base).response()
        for attempt in range(_TRIES):
            response = self._send(request)
            if request.method != "GET" or response.status_code not in _TRANSIENT:
                break
            self._wait(2.0**attempt)
        answer = _response(response)
        body = without_base(answer.body, self.base)
        link = next_link(body)
        if link and origin(link) == origin(self.base):
            self._links.add(link)
        return Response(answer.status, body, answer.headers)

    def close(self) -> None:
        """Closes the connections."""
        self._client.close()

    def _send(self, request: Request) -> "httpx2.Response":
        import httpx2

        form = isinstance(request.body, str)
        kind = {"content-type": _FORM if form else _FHIR_JSON} if request.body else {}
        headers = {"accept": _FHIR_JSON, **kind, **self._headers, **request.headers}
        body = {"content": request.body} if form else {"json": request.body or None}
        url = whole_address(request.path, self.base)
        try:
            return self._client.request(request.method, url, headers=headers, **body)  # type: ignore[arg-type]
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            reason = str(error) or type(error).__name__
            raise InfraError(
                f"{self.base} cannot be read ({reason}); check the address."
            ) from error


def remote_resources(
    server: RemoteServer, types: Sequence[str] = (), page: int = PAGE
) -> Iterator[Resource]:
    """All resources of a server, type by type.

    Args:
        server: the server.
        types: the types to read; by default all that the server says it can search.
        page: the number of resources to ask for at once.

    Raises:
        InfraError: The server answers with an error, with anything but FHIR, or with fewer
            resources than it says it has.
    """
    for kind in types or searchable_types(server):
        yield from _resources(server, kind, page)


def searchable_types(server: RemoteServer) -> list[str]:
    """The types that a server's CapabilityStatement says it can search."""
    statement = _answer(server, "metadata", "CapabilityStatement")
    types = [each for rest in statement.get("rest", ()) for each in rest.get("resource", ())]
    return [each["type"] for each in types if _is_searchable(each)]


def _is_searchable(entry: dict[str, Any]) -> bool:
    return any(each.get("code") == "search-type" for each in entry.get("interaction", ()))


def _resources(server: RemoteServer, kind: str, page: int) -> Iterator[Resource]:
    seen, total = set[str](), 0
    for bundle in _pages(server, f"{kind}?_count={page}"):
        total = max(total, bundle.get("total", 0))
        for entry in bundle.get("entry", ()):
            resource = entry.get("resource", {})
            # A page that has shifted since repeats resources of the one before.
            if resource.get("resourceType") == kind and resource["id"] not in seen:
                seen.add(resource["id"])
                yield resource
    if len(seen) < total:
        raise InfraError(
            f"The server gave {len(seen):,} of the {total:,} {kind} resources that it says it has; "
            "try again."
        )


def _pages(server: RemoteServer, first: str) -> Iterator[dict[str, Any]]:
    path: str | None = first
    visited = set[str]()
    while path is not None:
        if path in visited:
            raise InfraError(f"The server's next links for {first.split('?')[0]} go in a circle.")
        visited.add(path)
        bundle = _answer(server, path, "Bundle")
        yield bundle
        path = next_link(bundle)
        if path is not None and is_whole(path) and origin(path) != origin(server.base):
            raise InfraError(refused_address(path, server.base).diagnostics)


def refused_address(address: str, base: str) -> FhirError:
    """The refusal of an address that is not the server's, as it would get the token."""
    bare = address.partition("?")[0]
    if is_whole(address) and origin(address) != origin(base):
        return FhirError(
            400,
            "value",
            f"A link leads from {base} to another server: {bare}; give the base URL by which the "
            "server names itself.",
        )
    return FhirError(400, "value", f"{bare} is not below {base}; follow the links of a result.")


def _answer(server: RemoteServer, path: str, expected: str) -> dict[str, Any]:
    response = server.handle(Request("GET", path))
    body = response.body or {}
    kind, name = body.get("resourceType"), path.split("?")[0]
    if response.status != 200 or kind == "OperationOutcome":
        reason = f": {_reason(body)}" if _reason(body) else ""
        raise InfraError(f"The server answered {response.status} to {name}{reason}.")
    if kind != expected:
        raise InfraError(f"The server answered with {kind or 'nothing'} to {name}, no {expected}.")
    return body


def _reason(outcome: dict[str, Any]) -> str:
    issues = outcome.get("issue") or [{}]
    text = issues[0].get("diagnostics") or issues[0].get("details", {}).get("text") or ""
    return str(text).rstrip(".")


def _response(response: "httpx2.Response") -> Response:
    headers = {name.lower(): value for name, value in response.headers.items()}
    if not response.content:
        return Response(response.status_code, None, headers)
    try:
        body = response.json()
    except ValueError:
        body = None
    if not isinstance(body, dict):
        kind = headers.get("content-type", "text").partition(";")[0]
        raise InfraError(
            f"{str(response.url).partition('?')[0]} answered {response.status_code} with {kind}, "
            "not with FHIR's JSON; check that it is below a FHIR server's base URL."
        )
    return Response(response.status_code, body, headers)
