"""An agent that answers physicians from FHIR tools and the patient, without a model."""
