"""A record as one reader sees and changes it, through FHIR's REST interactions."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from threading import Lock
from typing import Any
from urllib.parse import unquote

from wardround.ehr.fhir.admission import Admission
from wardround.ehr.fhir.definitions import resource_types
from wardround.ehr.fhir.index.dates import milliseconds
from wardround.ehr.fhir.interaction import Request, Response
from wardround.ehr.fhir.outcome import FhirError
from wardround.ehr.fhir.reads import history_bundle, read_response, version_response
from wardround.ehr.fhir.search.snapshot import Snapshots
from wardround.ehr.fhir.store.builder import Validation
from wardround.ehr.fhir.store.overlay import Overlay
from wardround.ehr.fhir.transactions import transact
from wardround.ehr.fhir.writes import Writer

_ID = re.compile(r"[A-Za-z0-9\-.]{1,64}")


class Workspace:
    """Answers requests from a record and the writes over it.

    Args:
        overlay: the record's file with the writes.
        zone: the name of the time zone of times without an offset.
        fingerprint: the record's digest, from which ids of new resources are derived.
        clock: the reader's time, with a zone; None for the real one.
        gated: hide what is not known at the clock.
        validation: `refuse` or `record`: the treatment of resources that are not R4.
        writable: whether the capability statement names writes.
        snapshots: the results with further pages, if other workspaces share them.
    """

    def __init__(
        self,
        overlay: Overlay,
        *,
        zone: str,
        fingerprint: str,
        clock: datetime | Callable[[], datetime] | None = None,
        gated: bool = True,
        validation: Validation = "refuse",
        writable: bool = True,
        snapshots: Snapshots | None = None,
    ) -> None:
        self.overlay = overlay
        self.writable = writable
        self.zone = zone
        self.snapshots = snapshots or Snapshots()
        self._clock = clock
        self._gated = gated and clock is not None
        self._lock = Lock()
        self._admission = Admission(overlay, validation)
        self._writer = Writer(overlay, zone, fingerprint, self._admission, self._matches)

    def handle(self, request: Request) -> Response:
        """Answers a request; a fault of the request is a response with an OperationOutcome."""
        with self._lock:
            self._writer.time = milliseconds(self.now())
            self.overlay.set_clock(self._writer.time if self._gated else None)
            try:
                return self._answer(request) if is_read(request) else self._write(request)
            except FhirError as error:
                return error.response()

    def _write(self, request: Request) -> Response:
        """Carries out a write, all of it or nothing."""
        self._admission.forget()
        with self.overlay.transaction():
            response = self._answer(request)
            self._admission.check_references()
        return response

    def now(self) -> datetime:
        """The reader's time."""
        if self._clock is None:
            return datetime.now(UTC)
        return self._clock() if callable(self._clock) else self._clock

    def close(self) -> None:
        """Closes the workspace; writes that no file keeps are gone."""
        self.overlay.close()

    def _answer(self, request: Request) -> Response:
        path, _, query = request.path.lstrip("/").partition("?")
        parts = [unquote(part) for part in path.split("/") if part]
        match request.method, parts:
            case "POST", []:
                return transact(self._writer, request)
            case "GET", ["metadata"]:
                return self._search(request, parts, query)
            case _, [] | ["_history" | "_search"]:
                raise _not_supported(request)
            case _, [type, *_] if type not in resource_types():
                raise FhirError(404, "not-found", f"There are no resources of type {type!r} here.")
            case ("GET", [_] | [_, _, _]) | ("POST", [_, "_search"]) if parts[2:3] != ["_history"]:
                return self._search(request, parts, query)
            case "POST", [type]:
                return self._writer.create(type, request)
            case (_, [_, operation]) if operation.startswith("$"):
                raise _not_supported(request)
            case _, [type, id, *rest]:
                if not _ID.fullmatch(id):
                    raise FhirError(
                        400, "value", f"{id!r} is not an id; ids have up to 64 letters."
                    )
                return self._of_instance(request, type, id, rest)
            case _:
                raise _not_supported(request)

    def _of_instance(self, request: Request, type: str, id: str, rest: list[str]) -> Response:
        match request.method, rest:
            case "GET", []:
                return read_response(
                    self.overlay, type, id, request.headers.get("if-none-match", "")
                )
            case "GET", ["_history"]:
                return history_bundle(self.overlay, type, id)
            case "GET", ["_history", number]:
                return version_response(self.overlay, type, id, number)
            case "PUT", []:
                return self._writer.update(type, id, request)
            case "DELETE", []:
                return self._writer.delete(type, id, request)
            case _:
                raise _not_supported(request)

    def _search(self, request: Request, parts: list[str], query: str) -> Response:
        from wardround.ehr.fhir import search  # it reads workspaces

        return search.answer(self, request, parts, query)

    def _matches(self, type: str, query: str) -> list[dict[str, Any]]:
        """The resources that a condition such as `identifier=x` finds, at most two."""
        at_most_two = f"{query}&_count=2"
        request = Request("GET", f"{type}?{at_most_two}")
        body = self._search(request, [type], at_most_two).body or {}
        return [entry["resource"] for entry in body.get("entry", ())]


def is_read(request: Request) -> bool:
    """True for a request that changes nothing."""
    return request.method == "GET" or "_search" in request.path.partition("?")[0]


def _not_supported(request: Request) -> FhirError:
    return FhirError(
        501, "not-supported", f"{request.method} {request.path} is not supported; see metadata."
    )
