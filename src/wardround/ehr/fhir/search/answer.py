"""Answers searches: of a type, of a patient's compartment, of all about a patient, and metadata."""

from collections.abc import Iterable
from datetime import tzinfo
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl
from zoneinfo import ZoneInfo

from wardround.ehr.fhir.definitions import patient_compartment, resource_types
from wardround.ehr.fhir.interaction import Request, Resource, Response
from wardround.ehr.fhir.outcome import FhirError
from wardround.ehr.fhir.reads import existing
from wardround.ehr.fhir.search.capability import capability_statement
from wardround.ehr.fhir.search.compartment import everything
from wardround.ehr.fhir.search.criterion_parser import (
    UnknownParameterError,
    known_parameter,
    parse_criterion,
    unsupported,
)
from wardround.ehr.fhir.search.execution import found_keys
from wardround.ehr.fhir.search.form_parser import FORM_PARAMETERS, parse_form
from wardround.ehr.fhir.search.page import Pager
from wardround.ehr.fhir.search.query import AnyOf, Criterion, Match, ReferenceValue, Search
from wardround.ehr.fhir.search.snapshot import Snapshot, key_list

if TYPE_CHECKING:
    from wardround.ehr.fhir.workspace import Workspace

MOST_PARAMETERS = 100

FORM = "application/x-www-form-urlencoded"


def answer(workspace: "Workspace", request: Request, parts: list[str], query: str) -> Response:
    """Answers a request for a search.

    Args:
        workspace: the record as its reader sees it.
        request: the request.
        parts: the parts of its path.
        query: the query of its address.
    """
    match parts:
        case ["metadata"]:
            body = capability_statement(workspace.now(), writable=workspace.writable)
        case ["Patient", id, "$everything"] if request.method == "GET":
            body = all_about(workspace, id, query)
        case [kind] | [kind, "_search"]:
            body = search_type(workspace, request, kind, whole_query(request, query))
        case ["Patient", id, kind] if kind in resource_types():
            body = search_compartment(workspace, request, id, kind, query)
        case _:
            raise FhirError(501, "not-supported", f"{request.path} is not supported; see metadata.")
    return Response(200, body)


def whole_query(request: Request, query: str) -> str:
    """The query of the address and of a form that a search by POST sends."""
    if request.method != "POST" or not request.body:
        return query
    content = request.headers.get("content-type", FORM).partition(";")[0].strip()
    if content != FORM or not isinstance(request.body, str):
        raise FhirError(415, "not-supported", f"A search by POST sends a form as {FORM}.")
    return f"{query}&{request.body}" if query else request.body


def search_type(workspace: "Workspace", request: Request, kind: str, query: str) -> Resource:
    """Searches all resources of a type."""
    return paged(workspace, request, kind, query, kind)


def search_compartment(
    workspace: "Workspace", request: Request, id: str, kind: str, query: str
) -> Resource:
    """Searches the resources of a type that are about a patient."""
    existing(workspace.overlay, "Patient", id)
    names = patient_compartment().get(kind)
    if not names:
        raise FhirError(400, "not-supported", f"{kind} is not in the compartment of a patient.")
    about = (ReferenceValue(id, "Patient"),)
    member = AnyOf(tuple(Match(known_parameter(kind, name), about) for name in names))
    return paged(workspace, request, kind, query, f"Patient/{id}/{kind}", member)


def all_about(workspace: "Workspace", id: str, query: str) -> Resource:
    """A page of everything about a patient."""
    existing(workspace.overlay, "Patient", id)
    pager, pairs = Pager(workspace.overlay, workspace.snapshots), query_pairs(query)
    if page := dict(pairs).get("_page"):
        return pager.later(page)
    return pager.first(everything(workspace.overlay, id, pairs), tuple(pairs))


def paged(
    workspace: "Workspace",
    request: Request,
    kind: str,
    query: str,
    address: str,
    *criteria: Criterion,
) -> Resource:
    """The first page of a search, or the later one that the query names.

    Args:
        workspace: the record.
        request: the request, whose `Prefer` header says if unknown parameters are ignored.
        kind: the type that is searched.
        query: the search's parameters.
        address: the path of the search.
        *criteria: criteria beside those of the query.
    """
    pager = Pager(workspace.overlay, workspace.snapshots)
    if "_page=" in query and (page := dict(query_pairs(query)).get("_page")):
        return pager.later(page)
    lenient = "handling=lenient" in request.headers.get("prefer", "")
    search = parse_search(kind, query, ZoneInfo(workspace.zone), lenient=lenient)
    whole = Search(kind, (*criteria, *search.criteria), search.form)
    keys = key_list(found_keys(workspace.overlay, whole))
    return pager.first(Snapshot(address, search.form, keys, key_list(())), search.used)


def parse_search(resource_type: str, query: str, zone: tzinfo, *, lenient: bool = False) -> Search:
    """The search of a type that a query string asks for.

    Args:
        resource_type: the type that is searched.
        query: the query of the address, or the form of a search by POST; percent-encoded.
        zone: the zone of dates without an offset.
        lenient: True to ignore parameters that the type does not have.

    Raises:
        FhirError: something is unknown or not supported.
    """
    if resource_type not in resource_types():
        raise FhirError(404, "not-supported", f"This record holds no {resource_type} resources.")
    used, criteria = [], list[Criterion]()
    for name, value in query_pairs(query):
        if name.partition(":")[0] in FORM_PARAMETERS and name not in FORM_PARAMETERS:
            raise unsupported(f"{name} is not supported; give it without a modifier.")
        if name not in FORM_PARAMETERS:
            try:
                criteria.append(parse_criterion(resource_type, name, value, zone))
            except UnknownParameterError:
                if lenient:
                    continue
                raise
        used.append((name, value))
    form = parse_form(resource_type, form_pairs(used))
    return Search(resource_type, tuple(criteria), form, tuple(used))


def query_pairs(query: str) -> list[tuple[str, str]]:
    """Names and values of a query string, decoded."""
    try:
        return parse_qsl(
            query, keep_blank_values=True, errors="strict", max_num_fields=MOST_PARAMETERS
        )
    except ValueError:
        raise FhirError(
            400, "invalid", f"The query is no UTF-8 or has over {MOST_PARAMETERS} parameters."
        ) from None


def form_pairs(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The parameters that form the result."""
    return [(name, value) for name, value in pairs if name in FORM_PARAMETERS]
