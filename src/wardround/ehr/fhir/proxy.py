"""A server whose reads are forwarded and whose writes stay here, over its answers."""

from typing import Any
from urllib.parse import parse_qsl

from wardround.ehr.fhir.index import Interval, Quantity, Reference, Text, Token, entries
from wardround.ehr.fhir.interaction import FhirServer, Request, Resource, Response
from wardround.ehr.fhir.links import next_link
from wardround.ehr.fhir.outcome import FhirError

# Searches with these cannot be completed by looking at written resources alone.
_NOT_MERGED = ("_include", "_revinclude", "_has", "_offset", "_getpages", "_summary")


class ProxyServer:
    """Answers from a server behind a URL and from the writes of one trial.

    Args:
        remote: the server; it is only read.
        overlay: an empty record that takes the writes.
    """

    def __init__(self, remote: FhirServer, overlay: FhirServer) -> None:
        self._remote = remote
        self._overlay = overlay
        self._wrote = False
        self._later_pages = set[str]()

    def handle(self, request: Request) -> Response:
        """Answers a request; searches are completed by what was written."""
        try:
            return self._answer(request)
        except FhirError as error:
            return error.response()

    def close(self) -> None:
        """Closes the connection; the writes are gone."""
        self._remote.close()
        self._overlay.close()

    def _answer(self, request: Request) -> Response:
        parts = request.path.partition("?")[0].strip("/").split("/")
        if request.method == "POST" and parts[-1] != "_search":
            response = self._overlay.handle(request)
            self._wrote |= response.status < 300
            return response
        if request.method in ("PUT", "DELETE"):
            return self._changed(request)
        if request.method == "POST":
            raise _not_merged("a search by POST")
        if not self._wrote or request.path in self._later_pages:
            return self._forwarded(request)
        if len(parts) == 1:
            return self._searched(request)
        written = self._overlay.handle(request)
        return written if written.status in (200, 410) else self._forwarded(request)

    def _forwarded(self, request: Request) -> Response:
        """The server's answer; the first page of a search includes what was written."""
        response = self._remote.handle(request)
        if link := next_link(response.body):
            self._later_pages.add(link)
        return response

    def _changed(self, request: Request) -> Response:
        """Changes a written resource; those of the server are never changed."""
        if self._overlay.handle(Request("GET", request.path)).status != 200:
            raise _not_merged("a change of one of the server's own resources")
        return self._overlay.handle(request)

    def _searched(self, request: Request) -> Response:
        forwarded = self._forwarded(request)
        kind, _, query = request.path.partition("?")
        if forwarded.status != 200 or forwarded.body is None or not self._has_written(kind):
            return forwarded
        pairs = parse_qsl(query, keep_blank_values=True)
        if any(_cannot_be_merged(name) for name, _ in pairs):
            raise _not_merged("a page, an inclusion or a chain beside written resources")
        overlaid = self._overlay.handle(Request("GET", _all_matches(request.path), request.headers))
        written = [entry["resource"] for entry in (overlaid.body or {}).get("entry", ())]
        if overlaid.status != 200:
            raise _not_merged("a parameter that cannot be applied to written resources")
        if not written:
            return forwarded
        sort = next((value for name, value in pairs if name == "_sort"), "")
        return Response(200, _merged(forwarded.body, written, sort), forwarded.headers)

    def _has_written(self, kind: str) -> bool:
        """True if a resource of a type was written."""
        counted = self._overlay.handle(Request("GET", f"{kind}?_summary=count"))
        return bool((counted.body or {}).get("total"))


def _all_matches(path: str) -> str:
    """A search's address without the parameters that choose a part of the matches."""
    kind, _, query = path.partition("?")
    left = [p for p in query.split("&") if p and not p.startswith(("_count=", "_sort="))]
    return f"{kind}?{'&'.join([*left, '_count=1000'])}"


def _cannot_be_merged(name: str) -> bool:
    return name.startswith(_NOT_MERGED) or "." in name


def _merged(bundle: Resource, written: list[Resource], sort: str) -> Resource:
    """A first page with written resources in their places, and the total corrected.

    Raises:
        FhirError: their place may be on a later page.
    """
    matches = [{"resource": resource, "search": {"mode": "match"}} for resource in written]
    entries = [*bundle.get("entry", ())]
    has_more = any(link.get("relation") == "next" for link in bundle.get("link", ()))
    if sort:
        merged = _in_order([*matches, *entries], sort)
        if has_more and any(entry is merged[-1] for entry in matches):
            raise _not_merged("a written resource that belongs on a later page")
    else:
        merged = [*matches, *entries]
    done = {**bundle, "entry": merged}
    if "total" in bundle:
        done["total"] = bundle["total"] + len(written)
    return done


def _in_order(entries: list[dict[str, Any]], sort: str) -> list[dict[str, Any]]:
    for key in reversed(sort.split(",")):
        name, descending = key.removeprefix("-"), key.startswith("-")
        valued = [(value, e) for e in entries if (value := _sort_value(e["resource"], name))]
        rest = [entry for entry in entries if not _sort_value(entry["resource"], name)]
        valued.sort(key=lambda pair: pair[0], reverse=descending)
        entries = [*(entry for _, entry in valued), *rest]
    return entries


def _sort_value(resource: Resource, parameter: str) -> tuple[float, str] | None:
    """The value by which a resource is sorted; None if it has none."""
    if parameter in ("_id", "_lastUpdated"):
        raise _not_merged(f"sorting by {parameter} beside written resources")
    for name, value in entries(resource):
        if name == parameter:
            match value:
                case Interval(low, high):
                    return (float(low if low is not None else high or 0), "")
                case Quantity(low, high):
                    return (low if low is not None else high or 0.0, "")
                case Token(_, code, text):
                    return (0.0, code or text)
                case Text(text):
                    return (0.0, text.casefold())
                case Reference(type, id):
                    return (0.0, f"{type}/{id}")
    return None


def _not_merged(what: str) -> FhirError:
    return FhirError(501, "not-supported", f"Behind a proxy {what} is not supported.")
