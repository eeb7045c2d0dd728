"""Reads a search from its address or form: `Observation?patient=1&_sort=-date`."""

from collections.abc import Iterable
from datetime import tzinfo
from urllib.parse import parse_qsl

from wardround.ehr.fhir.definitions import resource_types
from wardround.ehr.fhir.outcome import FhirError
from wardround.ehr.fhir.search.criterion_parser import (
    UnknownParameterError,
    parse_criterion,
    unsupported,
)
from wardround.ehr.fhir.search.form_parser import FORM_PARAMETERS, parse_form
from wardround.ehr.fhir.search.query import Criterion, Search

MOST_PARAMETERS = 100


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
