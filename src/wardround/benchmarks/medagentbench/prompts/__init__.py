"""MedAgentBench's prompts: the agent's rules in both protocols, and the functions it may use."""
