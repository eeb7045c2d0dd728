"""Retrieval of resources of the ten types, without their texts and metadata."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeAlias
from urllib.parse import quote

from wardround.benchmarks.fhiragentbench.tasks import TYPES
from wardround.core.errors import ToolError
from wardround.ehr.fhir.interaction import FhirServer, Resource
from wardround.ehr.fhir.outcome import FhirError
from wardround.ehr.fhir.paging import requested, searched

Grouped: TypeAlias = dict[str, list[Resource]]

MOST = 20_000
_LEFT_OUT = ("text", "meta")
_PAGE = 1000
# Types that belong to no patient: the searches of the patient's resources that refer to them.
_REFERRED = {
    "Location": ("Encounter?_include=Encounter:location",),
    "Medication": (
        "MedicationRequest?_include=MedicationRequest:medication",
        "MedicationAdministration?_include=MedicationAdministration:medication",
    ),
}


def by_request(server: FhirServer, query: str) -> Grouped:
    """The resources at an address below the server's base, over all pages.

    Raises:
        ToolError: the server refuses the request, or too many resources match.
    """
    path = query.strip().removeprefix("GET ").strip().lstrip("/")
    _check_type(path.partition("?")[0].partition("/")[0])
    return _grouped(_bundle_or_resource(server, path), query)


def by_id(server: FhirServer, type: str, id: str) -> Grouped:
    """The resource of an id.

    Raises:
        ToolError: there is none.
    """
    _check_type(type)
    return _grouped(_bundle_or_resource(server, f"{type}/{quote(id, safe='')}"), type)


def by_patient(server: FhirServer, type: str, patient: str) -> Grouped:
    """A patient's resources of a type, and those of types without a patient that they refer to.

    Raises:
        ToolError: it is none of the types, or the server refuses the search.
    """
    _check_type(type)
    found = (r for path in _paths(type, quote(patient, safe="")) for r in _search(server, path))
    return _grouped((resource for resource in found if resource["resourceType"] == type), type)


def all_by_patient(server: FhirServer, patient: str) -> Grouped:
    """A patient's resources of all types.

    Raises:
        ToolError: the server refuses a search.
    """
    together: Grouped = {}
    for type in TYPES:
        together |= by_patient(server, type, patient)
    return together


def ids(grouped: Grouped) -> dict[str, list[str]]:
    """The ids of resources, by type."""
    return {type: [resource["id"] for resource in found] for type, found in grouped.items()}


def _paths(type: str, patient: str) -> Iterator[str]:
    if type == "Patient":
        yield f"Patient?_id={patient}"
    elif type in _REFERRED:
        yield from (f"{each}&patient={patient}&_count={_PAGE}" for each in _REFERRED[type])
    else:
        yield f"{type}?patient={patient}&_count={_PAGE}"


def _bundle_or_resource(server: FhirServer, path: str) -> Iterator[Resource]:
    if "?" in path or "$" in path or "/" not in path:
        yield from _search(server, path)
        return
    try:
        yield requested(server, path)
    except FhirError as error:
        raise ToolError(error.diagnostics) from None


def _search(server: FhirServer, path: str) -> Iterator[Resource]:
    try:
        yield from searched(server, path)
    except FhirError as error:
        raise ToolError(error.diagnostics) from None


def _grouped(resources: Iterable[Resource], asked: str) -> Grouped:
    found = list(islice((r for r in resources if r["resourceType"] in TYPES), MOST + 1))
    if len(found) > MOST:
        raise ToolError(f"More than {MOST:,} resources match {asked!r}; narrow the search.")
    grouped: dict[str, dict[str, Resource]] = {}
    for resource in found:
        kept = {name: value for name, value in resource.items() if name not in _LEFT_OUT}
        grouped.setdefault(resource["resourceType"], {})[resource["id"]] = kept
    return {type: list(by_id.values()) for type, by_id in grouped.items()}


def _check_type(type: str) -> None:
    if type not in TYPES:
        raise ToolError(f"{type!r} is no type of this server; the types are: {', '.join(TYPES)}.")
