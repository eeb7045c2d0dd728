"""The phases of a resource: its content as it was known from one instant to the next."""

from wardround.ehr.fhir.phases.known_time import known_from, waits_for_encounter
from wardround.ehr.fhir.phases.phases import Phase, phases
from wardround.ehr.fhir.phases.stays import Stays

__all__ = ["Phase", "Stays", "known_from", "phases", "waits_for_encounter"]
