"""An R4 FHIR record: loaded, searched, changed, and read as of a time."""
