"""Prompts of FHIR-AgentBench."""
