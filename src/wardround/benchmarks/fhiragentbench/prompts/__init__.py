"""FHIR-AgentBench's prompts: the agent's rules, and what a judge is asked."""
