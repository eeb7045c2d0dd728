"""An agent that reads plain questions and answers them from a FHIR server, without a model."""
