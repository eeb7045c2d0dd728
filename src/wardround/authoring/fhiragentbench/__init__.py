"""Makes the shipped questions of FHIR-AgentBench on its made record."""
