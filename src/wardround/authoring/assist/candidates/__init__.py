"""The stays that sessions can be about, and their record as FHIR."""
