"""MedAgentBench: a physician's tasks on a FHIR server, reads and orders (Jiang et al. 2025)."""
