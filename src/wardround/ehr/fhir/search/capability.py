"""The CapabilityStatement of a record, made from what is supported."""

from datetime import datetime

from wardround.ehr.fhir.definitions import SearchParameter, resource_types
from wardround.ehr.fhir.interaction import Resource
from wardround.ehr.fhir.search.coverage import searchable

INTERACTIONS = (
    "read", "vread", "update", "delete", "history-instance", "create", "search-type",
)  # fmt: skip
READS = ("read", "vread", "history-instance", "search-type")
DEFINITION = "http://hl7.org/fhir/SearchParameter/"
EVERYTHING = "http://hl7.org/fhir/OperationDefinition/Patient-everything"
PATIENT_COMPARTMENT = "http://hl7.org/fhir/CompartmentDefinition/patient"


def capability_statement(date: datetime, *, writable: bool = True) -> Resource:
    """The capability statement of a record.

    Args:
        date: the reader's time.
        writable: False for a record that refuses writes.
    """
    return {
        "resourceType": "CapabilityStatement",
        "status": "active",
        "date": date.isoformat(timespec="seconds"),
        "kind": "instance",
        "software": {"name": "wardround"},
        "implementation": {"description": "A FHIR R4 record of wardround"},
        "fhirVersion": "4.0.1",
        "format": ["application/fhir+json", "json"],
        "rest": [rest(writable=writable)],
    }


def rest(*, writable: bool) -> Resource:
    """The part about interactions."""
    system = {"interaction": [{"code": "transaction"}]} if writable else {}
    return {
        "mode": "server",
        "resource": [resource(kind, writable=writable) for kind in resource_types()],
        **system,
        "searchParam": [
            {"name": "_id", "definition": f"{DEFINITION}Resource-id", "type": "token"},
            {
                "name": "_lastUpdated",
                "definition": f"{DEFINITION}Resource-lastUpdated",
                "type": "date",
            },
        ],
        "compartment": [PATIENT_COMPARTMENT],
    }


def resource(kind: str, *, writable: bool) -> Resource:
    """The part about a type."""
    codes = INTERACTIONS if writable else READS
    known = searchable(kind)
    references = [f"{kind}:{each.name}" for each in known if each.kind == "reference"]
    statement: Resource = {
        "type": kind,
        "interaction": [{"code": code} for code in codes],
        "versioning": "versioned-update",
        "readHistory": True,
        "updateCreate": writable,
        "conditionalCreate": writable,
        "conditionalRead": "not-supported",
        "conditionalUpdate": False,
        "conditionalDelete": "not-supported",
        "referencePolicy": ["literal", "logical"],
        "searchInclude": references,
        "searchRevInclude": referring(kind),
        "searchParam": [search_parameter(each) for each in known],
    }
    if kind == "Patient":
        statement["operation"] = [{"name": "everything", "definition": EVERYTHING}]
    return {name: value for name, value in statement.items() if value != []}


def referring(kind: str) -> list[str]:
    """The references of all types that may lead to a type."""
    return [
        f"{each.type}:{each.name}"
        for holder in resource_types()
        for each in searchable(holder)
        if kind in each.targets
    ]


def search_parameter(searched: SearchParameter) -> Resource:
    """The part about a search parameter."""
    return {"name": searched.name, "type": searched.kind}
