"""PhysAssistBench: sessions of a physician, an assistant and a patient over a FHIR record."""
