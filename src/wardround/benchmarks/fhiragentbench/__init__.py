"""FHIR-AgentBench: questions about a patient's FHIR record, answered with its resources."""
