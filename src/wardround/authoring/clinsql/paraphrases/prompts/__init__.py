"""Prompts of rewording cohort questions, and of comparing two wordings."""
