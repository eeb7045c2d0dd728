"""Rubric items decided without a model: compiled from their sentences, in both languages."""
