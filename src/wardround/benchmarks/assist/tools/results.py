"""Results of tools in the published form: Bundles, and an outcome where nothing is found."""

from collections.abc import Iterable, Mapping
from typing import Any

from wardround.ehr.fhir.interaction import Resource

NOTES, LEFT_OUT, SPOKEN = "_notes", "_left_out", "patient_response"
STAY = "_stay_from"  # the beginning of the stay that a diagnosis is of
_UNREAD = ("meta", "text", "extension", "managingOrganization", "serviceProvider")


def bundle(kind: str, resources: Iterable[Resource], left_out: int = 0) -> Resource:
    """A Bundle of the resources.

    Args:
        kind: the type of the resources.
        resources: the resources in order.
        left_out: the number of those that were found as well, beyond the most of a result.
    """
    entries = [{"resource": slim(each)} for each in resources]
    return {
        "resourceType": "Bundle",
        "type": "searchset",
        "total": len(entries),
        "entry": entries,
        "_fhir_resource_type": kind,
        **({LEFT_OUT: left_out} if left_out > 0 else {}),
    }


def nothing_found(diagnostics: str) -> Resource:
    """The outcome of a search that finds nothing."""
    issue = {"severity": "error", "code": "not-found", "diagnostics": diagnostics}
    return {"resourceType": "OperationOutcome", "issue": [issue]}


def published(result: Resource) -> Resource:
    """A result without what the published tools do not say."""
    parts = {name: part for name, part in result.items() if name != LEFT_OUT}
    if parts.get("resourceType") == "OperationOutcome":
        hidden = ("severity", "diagnostics")
        parts["issue"] = [{name: each[name] for name in hidden} for each in parts["issue"]]
    return parts


def error(sentence: str) -> Resource:
    """The result of a call that cannot be carried out."""
    return {"error": sentence}


def is_error(result: Any) -> bool:
    """True for the result of a call that could not be carried out."""
    return isinstance(result, Mapping) and "error" in result


def slim(resource: Resource) -> Resource:
    """A resource without elements that no tool shows."""
    return {name: value for name, value in resource.items() if name not in _UNREAD}


def label(concept: Mapping[str, Any] | None) -> str:
    """The name of a concept: its text, the first display, or the first code."""
    if not concept:
        return ""
    codings = concept.get("coding", ())
    names = [concept.get("text"), *(each.get("display") for each in codings)]
    names += [each.get("code") for each in codings]
    return next((name for name in names if name), "")


def labels(concept: Mapping[str, Any] | None) -> list[str]:
    """All names of a concept."""
    if not concept:
        return []
    names = [concept.get("text"), *(each.get("display") for each in concept.get("coding", ()))]
    return [name for name in names if name]
