"""FHIR-AgentBench: questions about a patient, answered from FHIR resources."""
