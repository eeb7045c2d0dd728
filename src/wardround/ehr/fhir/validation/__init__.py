"""Validation of resources by HL7's JSON Schema, cardinalities and required bindings."""

from wardround.ehr.fhir.validation.defects import Defect, defects

__all__ = ["Defect", "defects"]
