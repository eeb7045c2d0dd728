"""Retrieves resources for an agent, grouped by type, and keeps the last of each type."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, TypeAlias
from urllib.parse import quote, urlencode

from wardround.core.errors import ToolError
from wardround.ehr.fhir.interaction import FhirServer, Request, Resource
from wardround.ehr.fhir.links import bundle_pages

# Types that belong to no patient, with the search that leads to them.
_VIA = {
    "Location": ("Encounter", "_include=Encounter:location"),
    "Medication": ("MedicationRequest", "_include=MedicationRequest:medication"),
}
_LEFT_OUT = ("text", "meta")
PAGE = 1000
MOST = 20_000  # resources of one retrieval
Found: TypeAlias = dict[str, list[Resource]]


class Retriever:
    """Asks a server for one agent.

    Attributes:
        kept: the resources of the last retrieval that had the type, by type.
    """

    def __init__(self, server: FhirServer) -> None:
        self._server = server
        self.kept: Found = {}

    def request(self, query: str) -> Found:
        """The resources on the first page of a search, whole; none for a read by id.

        Raises:
            ToolError: the server refuses it.
        """
        return self._keep(self._on_pages(query.lstrip("/"), pages=1))

    def by_id(self, type: str, id: str) -> Found:
        """The resource with an id; without an id all of the type.

        Raises:
            ToolError: the server refuses it.
        """
        query = urlencode({"_id": id, "_count": PAGE} if id else {"_count": PAGE})
        return self._keep(_bare(self._on_pages(f"{quote(type, safe='')}?{query}")))

    def by_patient(self, type: str, patient: str) -> Found:
        """A patient's resources of a type; of a type without patient those referred to.

        Raises:
            ToolError: the server refuses it.
        """
        resources = self._on_pages(_path_by_patient(type, patient.rpartition("/")[2]))
        return self._keep(_bare(each for each in resources if each["resourceType"] == type))

    def ids(self) -> dict[str, list[str]]:
        """The ids of the kept resources, by type."""
        return {
            type: [each.get("id", "") for each in resources]
            for type, resources in self.kept.items()
        }

    def _on_pages(self, path: str, pages: int | None = None) -> Iterator[Resource]:
        for response in islice(bundle_pages(self._server, Request("GET", path)), pages):
            body = response.body or {}
            if response.status != 200:
                raise ToolError(f"The server answered {response.status}: {_reason(body)}")
            if body.get("resourceType") == "Bundle":
                yield from (e["resource"] for e in body.get("entry", ()) if "resource" in e)

    def _keep(self, resources: Iterable[Resource]) -> Found:
        grouped: Found = defaultdict(list)
        for count, resource in enumerate(resources):
            if count >= MOST:
                raise ToolError(f"More than {MOST:,} resources match; narrow the search.")
            grouped[resource["resourceType"]].append(resource)
        self.kept |= grouped
        return dict(grouped)


def _bare(resources: Iterable[Resource]) -> Iterator[Resource]:
    """Resources without their top-level text and meta."""
    for resource in resources:
        yield {name: value for name, value in resource.items() if name not in _LEFT_OUT}


def _path_by_patient(type: str, id: str) -> str:
    if not id:
        return f"{quote(type, safe='')}?{urlencode({'_count': PAGE})}"
    if type == "Patient":
        return f"Patient?{urlencode({'_id': id})}"
    searched, inclusion = _VIA.get(type, (quote(type, safe=""), ""))
    return "&".join(
        filter(None, [f"{searched}?{urlencode({'patient': id, '_count': PAGE})}", inclusion])
    )


def _reason(body: dict[str, Any]) -> str:
    issues = body.get("issue") or [{}]
    return str(issues[0].get("diagnostics", "no reason given"))
