"""`Patient/ID/$everything`: a patient's compartment and what its resources refer to."""

from urllib.parse import quote

from wardround.ehr.fhir.definitions import (
    SearchParameter,
    parameters,
    patient_compartment,
    resource_types,
)
from wardround.ehr.fhir.outcome import FhirError
from wardround.ehr.fhir.search.conditions import Sql
from wardround.ehr.fhir.search.criterion_parser import known_parameter, unsupported
from wardround.ehr.fhir.search.execution import schemas, selected
from wardround.ehr.fhir.search.form_parser import json_format, whole_number
from wardround.ehr.fhir.search.membership import VISIBLE
from wardround.ehr.fhir.search.query import Form
from wardround.ehr.fhir.search.snapshot import Snapshot, key_list
from wardround.ehr.fhir.store.overlay import Overlay


def everything(overlay: Overlay, patient: str, pairs: list[tuple[str, str]]) -> Snapshot:
    """The patient, the resources of the compartment, and those that they refer to, by key.

    Args:
        overlay: the record.
        patient: the patient's id.
        pairs: the parameters of the request; `_type` limits the types, `_count` the page.

    Raises:
        FhirError: a parameter is not supported.
    """
    form, types = Form(), resource_types()
    for name, value in pairs:
        match name:
            case "_count":
                form = Form(count=whole_number(name, value) or None)
            case "_type":
                types = known_types(value)
            case "_format":
                json_format(form, value)
            case _:
                raise unsupported(f"$everything has no parameter {name}; it has _type and _count.")
    member_keys = compartment_keys(overlay, patient)
    whole = of_types(overlay, member_keys | supporting_keys(overlay, member_keys), types)
    address = f"Patient/{quote(patient)}/$everything"
    return Snapshot(address, form, key_list(whole), key_list(()))


def known_types(value: str) -> tuple[str, ...]:
    """The types in `_type`."""
    types = tuple(value.split(","))
    for each in types:
        if each not in resource_types():
            raise FhirError(400, "value", f"This record holds no {each}, which _type asks for.")
    return types


def compartment_keys(overlay: Overlay, patient: str) -> set[int]:
    """The keys of the patient and of all resources in the compartment, visible or not."""
    numbers = [
        known_parameter(kind, name).number
        for kind, names in patient_compartment().items()
        for name in names
    ]
    keys = set[int]()
    for schema in schemas(overlay):
        text = (
            f"SELECT resource FROM {schema}.reference WHERE id = ? AND type = 'Patient' "
            f"AND parameter IN {numbers_list(numbers)} "
            f"UNION SELECT key FROM {schema}.resource WHERE type = 'Patient' AND id = ?"
        )
        keys |= {key for (key,) in selected(overlay, Sql(text, (patient, patient)))}
    return keys


def supporting_keys(overlay: Overlay, keys: set[int]) -> set[int]:
    """The keys of resources outside of compartments that some refer to, directly or not."""
    known, latest = set(keys), keys
    while latest:
        latest = referred_keys(overlay, latest) - known
        known |= latest
    return known - keys


def referred_keys(overlay: Overlay, keys: set[int]) -> set[int]:
    """The keys of resources outside of compartments to which resources refer."""
    outside = [kind for kind in resource_types() if kind not in patient_compartment()]
    kinds = ", ".join(f"'{kind}'" for kind in outside)
    numbers = [each.number for kind in resource_types() for each in references(kind)]
    referred = set[int]()
    for holder in schemas(overlay):
        for target in schemas(overlay):
            text = (
                f"SELECT DISTINCT t.key FROM (SELECT DISTINCT type, id FROM {holder}.reference "
                f"WHERE resource IN (SELECT value FROM json_each(?)) AND type IN ({kinds}) "
                f"AND parameter IN {numbers_list(numbers)}) AS r CROSS JOIN {VISIBLE[target]} AS t "
                "ON t.type = r.type AND t.id = r.id"
            )
            referred |= {key for (key,) in selected(overlay, Sql(text, (str(sorted(keys)),)))}
    return referred


def references(kind: str) -> list[SearchParameter]:
    """The parameters of a type that are references."""
    return [each for each in parameters(kind) if each.kind == "reference"]


def of_types(overlay: Overlay, keys: set[int], types: tuple[str, ...]) -> list[int]:
    """The given keys of resources that the reader sees and that have the types, sorted."""
    listed = str(sorted(keys))
    kinds = ", ".join(f"'{kind}'" for kind in types)
    text = " UNION ALL ".join(
        f"SELECT c.key FROM {VISIBLE[schema]} AS c "
        f"WHERE c.key IN (SELECT value FROM json_each(?)) AND +c.type IN ({kinds})"
        for schema in schemas(overlay)
    )
    rows = selected(overlay, Sql(text, (listed,) * len(schemas(overlay))))
    return sorted(key for (key,) in rows)


def numbers_list(numbers: list[int]) -> str:
    """Numbers as a list of SQL."""
    return f"({', '.join(map(str, numbers))})"
