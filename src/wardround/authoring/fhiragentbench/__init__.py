"""Makes the shipped questions of FHIR-AgentBench with SQL on the synthetic hospital."""
