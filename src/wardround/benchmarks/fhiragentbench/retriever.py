"""Retrieves resources for an agent, grouped by type, and remembers which ones."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import quote, urlencode

from wardround.benchmarks.fhiragentbench.tasks import RESOURCE_TYPES
from wardround.core.errors import ToolError
from wardround.ehr.fhir.interaction import FhirServer, Request, Resource

# Types that belong to no patient, with the search that leads to them.
_VIA = {
    "Location": ("Encounter", "_include=Encounter:location"),
    "Medication": ("MedicationRequest", "_include=MedicationRequest:medication"),
}
_LEFT_OUT = ("text", "meta")
PAGE = 1000


class Retriever:
    """Asks a server, page by page.

    Attributes:
        found: the resources retrieved so far, by type and id.
    """

    def __init__(self, server: FhirServer) -> None:
        self._server = server
        self.found: dict[str, dict[str, Resource]] = defaultdict(dict)

    def request(self, query: str) -> dict[str, list[Resource]]:
        """The resources that a request finds.

        Raises:
            ToolError: the server refuses it.
        """
        return self._remember(self._answers(query.lstrip("/")))

    def by_id(self, type: str, id: str) -> dict[str, list[Resource]]:
        """A resource by its id.

        Raises:
            ToolError: there is none.
        """
        return self._remember(self._answers(f"{_known(type)}/{quote(id.rpartition('/')[2])}"))

    def by_patient(self, type: str, patient: str) -> dict[str, list[Resource]]:
        """A patient's resources of a type; of a type without patient those referred to.

        Raises:
            ToolError: the type is not one of the benchmark's.
        """
        found = self._of_patient(_known(type), patient)
        return self._remember(each for each in found if each["resourceType"] == type)

    def all_by_patient(self, patient: str) -> dict[str, list[Resource]]:
        """All resources of a patient, of the benchmark's types."""
        every = (each for type in RESOURCE_TYPES for each in self._of_patient(type, patient))
        return self._remember(every)

    def ids(self) -> dict[str, list[str]]:
        """The ids of all resources retrieved so far, by type."""
        return {type: list(resources) for type, resources in self.found.items()}

    def values(self) -> dict[str, list[Resource]]:
        """All resources retrieved so far, by type."""
        return {type: list(resources.values()) for type, resources in self.found.items()}

    def _of_patient(self, type: str, patient: str) -> Iterator[Resource]:
        id = patient.rpartition("/")[2]
        if type == "Patient":
            yield from self._answers(f"Patient?{urlencode({'_id': id})}")
            return
        searched, inclusion = _VIA.get(type, (type, ""))
        query = urlencode({"patient": id, "_count": PAGE})
        yield from self._answers("&".join(filter(None, [f"{searched}?{query}", inclusion])))

    def _answers(self, path: str) -> Iterator[Resource]:
        following: str | None = path
        while following:
            response = self._server.handle(Request("GET", following))
            body = response.body or {}
            if response.status != 200:
                raise ToolError(f"The server answered {response.status}: {_reason(body)}")
            if body.get("resourceType") != "Bundle":
                yield body
                return
            yield from (entry["resource"] for entry in body.get("entry", ()))
            links = (link["url"] for link in body.get("link", ()) if link["relation"] == "next")
            following = next(links, None)

    def _remember(self, resources: Iterable[Resource]) -> dict[str, list[Resource]]:
        grouped: dict[str, dict[str, Resource]] = defaultdict(dict)
        for resource in resources:
            plain = {name: value for name, value in resource.items() if name not in _LEFT_OUT}
            type, id = plain["resourceType"], plain.get("id", "")
            grouped[type][id] = self.found[type][id] = plain
        return {type: list(each.values()) for type, each in grouped.items()}


def _known(type: str) -> str:
    if type not in RESOURCE_TYPES:
        raise ToolError(f"There is no type {type!r}; the types are {', '.join(RESOURCE_TYPES)}.")
    return type


def _reason(body: dict[str, Any]) -> str:
    issues = body.get("issue") or [{}]
    return str(issues[0].get("diagnostics", "no reason given"))
