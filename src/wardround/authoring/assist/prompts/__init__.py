"""Prompts of the models that reword, translate back, compare and plan."""
