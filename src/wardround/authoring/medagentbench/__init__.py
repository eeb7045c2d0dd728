"""Makes the shipped tasks of MedAgentBench on its made record."""
