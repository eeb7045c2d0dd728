"""The part of the R4 definitions that the record needs, compiled from those of HL7."""

from wardround.ehr.fhir.definitions.search_parameters import (
    Composite,
    Kind,
    Path,
    SearchParameter,
    parameter,
    parameters,
    patient_compartment,
    resource_types,
)

__all__ = [
    "Composite",
    "Kind",
    "Path",
    "SearchParameter",
    "parameter",
    "parameters",
    "patient_compartment",
    "resource_types",
]
