"""The prompts of the assistant, in both languages."""
