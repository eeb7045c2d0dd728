"""ClinSQL's prompts: rules for agents by regime, and what a judge is asked."""
