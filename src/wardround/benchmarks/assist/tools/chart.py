"""One patient's chart behind a FHIR server, searched by the ids that agents know."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeAlias
from urllib.parse import urlencode

from wardround.benchmarks.assist.tools.arguments import Shapes
from wardround.ehr.fhir.interaction import FhirServer, Request, Resource

Criteria: TypeAlias = Mapping[str, str | list[str]]
# A page of a server's own size: behind a proxy there is no second page beside written resources.
_PAGE = 1_000
# Types without a reference to the patient.
_OF_NOBODY = ("Patient", "Medication")


class ChartError(Exception):
    """A request that the server refuses, in its words."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The result of a search.

    Attributes:
        matches: the resources that match, in order.
        included: further resources by reference.
        total: the number of all that match.
    """

    matches: Sequence[Resource]
    included: Mapping[str, Resource] = field(default_factory=dict)
    total: int = 0


@dataclass(slots=True)
class PatientChart:
    """A patient's part of a record.

    Attributes:
        server: the record with the writes of this session.
        id: the patient's id on the server.
        clock: the time of the session.
        shapes: the form of the results.
    """

    server: FhirServer
    id: str
    clock: datetime
    shapes: Shapes
    _stays: dict[int, str | None] = field(default_factory=dict, init=False)

    @property
    def strict(self) -> bool:
        """True if the faults of the published tools are left out."""
        return self.shapes == "strict"

    def search(self, kind: str, criteria: Criteria, most: int = 1_000) -> SearchResult:
        """The patient's resources of a type that match, at most a number.

        Raises:
            ChartError: the server refuses.
        """
        patient = {} if kind in _OF_NOBODY else {"patient": self.id}
        return search(self.server, kind, {**patient, **criteria}, most)

    def stays(self, hadm_id: int | None) -> str | None:
        """The ids of a stay's encounter and its parts; "" without a stay, None if there is none."""
        if hadm_id is None:
            return ""
        if hadm_id not in self._stays:
            self._stays[hadm_id] = self._parts_of(hadm_id)
        return self._stays[hadm_id]

    def _parts_of(self, hadm_id: int) -> str | None:
        stay = self.search("Encounter", {"identifier": str(hadm_id)}, 1).matches
        if not stay:
            return None
        parts = self.search("Encounter", {"part-of": stay[0]["id"]}).matches
        return ",".join(each["id"] for each in (stay[0], *parts))


def open_patient(
    server: FhirServer, subject_id: int, clock: datetime, shapes: Shapes
) -> PatientChart | None:
    """The chart of the patient with a subject_id; None if the record has no such patient.

    Raises:
        ChartError: the server refuses.
    """
    patients = search(server, "Patient", {"identifier": str(subject_id)}, 1).matches
    return PatientChart(server, patients[0]["id"], clock, shapes) if patients else None


def search(server: FhirServer, kind: str, criteria: Criteria, most: int) -> SearchResult:
    """Resources of a type, page by page until there are enough.

    Raises:
        ChartError: the server refuses.
    """
    address = f"{kind}?{urlencode({**criteria, '_count': str(min(most, _PAGE))}, doseq=True)}"
    matches: list[Resource] = []
    included: dict[str, Resource] = {}
    total = 0
    for page in _pages(server, address):
        total = page.get("total", total)
        for entry in page.get("entry", ()):
            resource = entry["resource"]
            if entry.get("search", {}).get("mode") == "include":
                included[reference_to(resource)] = resource
            else:
                matches.append(resource)
        if len(matches) >= most:
            break
    return SearchResult(matches[:most], included, max(total, len(matches)))


def reference_to(resource: Resource) -> str:
    """A reference to a resource: its type and id."""
    return f"{resource['resourceType']}/{resource['id']}"


def escaped(text: str) -> str:
    r"""A text as a value of a search parameter.

    >>> escaped("bilirubin, total")
    'bilirubin\\, total'
    """
    for sign in "\\,|$":
        text = text.replace(sign, "\\" + sign)
    return text


def _pages(server: FhirServer, address: str) -> Iterator[dict[str, Any]]:
    following: str | None = address
    while following:
        response = server.handle(Request("GET", following))
        body = response.body or {}
        if response.status >= 400:
            raise ChartError(_diagnostics(body) or f"The record answered {response.status}.")
        yield body
        following = next(
            (link["url"] for link in body.get("link", ()) if link["relation"] == "next"), None
        )


def _diagnostics(body: Mapping[str, Any]) -> str:
    issues = body.get("issue", ())
    return next((each["diagnostics"] for each in issues if each.get("diagnostics")), "")
