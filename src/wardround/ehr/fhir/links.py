"""The addresses in bundles: made whole, made relative to a base, and followed page by page."""

import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import unquote, urlsplit

from wardround.core.errors import InfraError
from wardround.ehr.fhir.interaction import FhirServer, Request, Resource, Response

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def is_whole(address: str) -> bool:
    """True for an address with a scheme, such as `http:` or `urn:`.

    >>> is_whole("urn:uuid:1"), is_whole("Observation?code=http://loinc.org|1")
    (True, False)
    """
    return bool(_SCHEME.match(address))


def whole_address(address: str, base: str) -> str:
    """An address below a base with the base before it; a whole one as it is.

    >>> whole_address("?_getpages=1", "http://a/fhir/"), whole_address("Flag/1", "http://a/fhir/")
    ('http://a/fhir?_getpages=1', 'http://a/fhir/Flag/1')
    """
    if is_whole(address):
        return address
    if address.startswith("?"):
        return base.rstrip("/") + address
    return base + address.lstrip("/")


def address_below(address: str, base: str) -> str:
    """The part of an address below a base, the inverse of `whole_address`; others as they are.

    >>> address_below("http://a/fhir?_getpages=1", "http://a/fhir/")
    '?_getpages=1'
    """
    if address.startswith(base):
        return address.removeprefix(base)
    bare = base.rstrip("/") + "?"
    return address.removeprefix(bare[:-1]) if address.startswith(bare) else address


def is_below(path: str) -> bool:
    """True if a path leads nowhere above or beside the base that is put before it.

    >>> is_below("Patient?name=a"), is_below("../admin"), is_below("http://elsewhere/")
    (True, False, False)
    """
    bare = path.partition("?")[0].partition("#")[0].replace("\\", "/")
    steps = unquote(bare).replace("\\", "/").split("/")
    return not is_whole(path) and not path.startswith("//") and ".." not in steps


def origin(address: str) -> tuple[str, str]:
    """The scheme and host of an address, which identify a server."""
    parts = urlsplit(address)
    return parts.scheme, parts.netloc


def with_addresses(body: Resource | None, base: str) -> Resource | None:
    """A bundle with whole addresses in its links and entries; others as they are."""
    return _changed(body, lambda address: whole_address(address, base))


def without_base(body: Resource | None, base: str) -> Resource | None:
    """A bundle whose links and entries begin below a base, as those of a record do."""
    return _changed(body, lambda address: address_below(address, base))


def next_link(bundle: Resource | None) -> str | None:
    """The address of the next page; None on the last one."""
    links = (bundle or {}).get("link", ())
    return next((each["url"] for each in links if each.get("relation") == "next"), None)


def bundle_pages(server: FhirServer, request: Request) -> Iterator[Response]:
    """The responses to a request and to the next links that follow.

    Raises:
        InfraError: the links go in a circle.
    """
    visited = set[str]()
    following: str | None = request.path
    while following is not None:
        if following in visited:
            raise InfraError("The server's next links go in a circle.")
        visited.add(following)
        response = server.handle(Request("GET", following, request.headers))
        yield response
        following = next_link(response.body)


def _changed(body: Resource | None, change: Callable[[str], str]) -> Resource | None:
    if body is None or body.get("resourceType") != "Bundle":
        return body
    done = dict(body)
    if "link" in body:
        done["link"] = [{**link, "url": change(link["url"])} for link in body["link"]]
    if "entry" in body:
        done["entry"] = [_changed_entry(entry, change) for entry in body["entry"]]
    return done


def _changed_entry(entry: dict[str, Any], change: Callable[[str], str]) -> dict[str, Any]:
    url = entry.get("fullUrl")
    return {**entry, "fullUrl": change(url)} if url else entry
