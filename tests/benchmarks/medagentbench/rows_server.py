"""A FHIR server in memory that gives rows page by page in the form of HAPI's answers."""

from typing import Any

from wardround.ehr.fhir.interaction import Request, Resource, Response


class RowsServer:
    """Answers every search with the same observations.

    Args:
        rows: value and time of each; None for an element that is missing.
        page: the most entries of a page.
    """

    def __init__(self, rows: list[list[Any]], page: int = 1000) -> None:
        self._entries = [{"resource": _observation(*row)} for row in rows]
        self._page = page

    def handle(self, request: Request) -> Response:
        """The page that the request names; the first one by default."""
        start = (
            int(request.path.rpartition("_getpagesoffset=")[2]) if "?_get" in request.path else 0
        )
        bundle: Resource = {"resourceType": "Bundle", "entry": self._entries[start:][: self._page]}
        if (following := start + self._page) < len(self._entries):
            link = f"?_getpages=a&_getpagesoffset={following}"
            bundle["link"] = [{"relation": "next", "url": link}]
        return Response(200, bundle)

    def close(self) -> None:
        """Nothing is open."""


def _observation(value: Any, time: str | None) -> Resource:
    found: Resource = {"resourceType": "Observation", "status": "final"}
    if value is not None:
        found["valueQuantity"] = {"value": value}
    return found if time is None else {**found, "effectiveDateTime": time}
