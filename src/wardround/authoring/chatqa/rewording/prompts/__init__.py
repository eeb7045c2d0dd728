"""Prompts of rewording instructions."""
