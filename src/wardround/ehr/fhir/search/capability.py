"""The CapabilityStatement of a record, made from what is supported."""

from collections.abc import Iterator
from datetime import datetime

from wardround.ehr.fhir.definitions import SearchParameter, parameters, resource_types
from wardround.ehr.fhir.interaction import Resource
from wardround.ehr.fhir.search.criterion_parser import LONGEST_CHAIN, MODIFIERS, is_searchable
from wardround.ehr.fhir.search.form_parser import FORM_PARAMETERS, LARGEST_COUNT
from wardround.ehr.fhir.search.values import PREFIXES

R4_MODIFIERS = {
    "token": ("text", "not", "above", "below", "in", "not-in", "of-type"),
    "string": ("exact", "contains"),
    "reference": ("identifier", "[type]", "above", "below"),
    "uri": ("above", "below"),
}
R4_COMMON = (
    "_id", "_lastUpdated", "_tag", "_profile", "_security", "_source", "_text", "_content", "_list",
    "_has", "_type", "_filter", "_query",
)  # fmt: skip
R4_FORM = (
    "_sort", "_count", "_include", "_revinclude", "_summary", "_total", "_elements", "_contained",
    "_containedType", "_format", "_pretty",
)  # fmt: skip
SUPPORTED_COMMON = ("_id", "_lastUpdated", "_has")
NOTES = {
    "_summary": "`count` and `false`",
    "_total": "exact; `none` leaves it out; `_totalMethod`, which fhirpy sends, is taken as well",
    "_count": f"at most {LARGEST_COUNT:,}",
    "_format": "JSON",
    "_include": "of matches only, without `:iterate`",
    "_revinclude": "of matches only, without `:iterate`",
    "_has": "one level",
    ":below": "beginnings of ICD codes",
    ":text": "words that begin with the text; a drug's name also by `medicationReference`",
}

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
    parameters = searchable(kind)
    references = [f"{kind}:{each.name}" for each in parameters if each.kind == "reference"]
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
        "searchParam": [search_parameter(each) for each in parameters],
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


def rows() -> Iterator[tuple[str, str, str]]:
    """Each part of R4's search, `yes` or `no`, and a note."""
    for kind, modifiers in R4_MODIFIERS.items():
        for modifier in modifiers:
            known = modifier in MODIFIERS.get(kind, ()) or modifier == "[type]"
            name = f":{modifier}"
            yield (
                f"`{name}` of {kind} parameters",
                answered(known),
                NOTES.get(name, "") if known else "",
            )
    yield "`:missing`", "yes", ""
    yield f"prefixes {', '.join(f'`{each}`' for each in PREFIXES)}", "yes", "dates, quantities"
    yield f"chains of {LONGEST_CHAIN} references", "yes", "longer ones are 400"
    yield "composites of a code and an amount", "yes", "such as `code-value-quantity`"
    yield "other composites", "no", ""
    for name in R4_COMMON:
        yield f"`{name}`", answered(name in SUPPORTED_COMMON), NOTES.get(name, "")
    for name in R4_FORM:
        yield f"`{name}`", answered(name in FORM_PARAMETERS), NOTES.get(name, "")


def answered(supported: bool) -> str:
    """The word of the table."""
    return "yes" if supported else "no"


def table() -> str:
    """The coverage of search as a table in Markdown."""
    lines = ["| of R4's search | supported | |", "|---|---|---|"]
    return "\n".join([*lines, *(f"| {a} | {b} | {c} |" for a, b, c in rows())])


def searchable(kind: str) -> list[SearchParameter]:
    """The parameters of a type that can be searched by."""
    return [each for each in parameters(kind) if is_searchable(each)]


def parameter_table() -> str:
    """The search parameters of each type as a table in Markdown."""
    lines = ["| type | search parameters |", "|---|---|"]
    for kind in resource_types():
        names = ", ".join(f"`{each.name}`" for each in searchable(kind))
        lines.append(f"| {kind} | {names} |")
    return "\n".join(lines)
