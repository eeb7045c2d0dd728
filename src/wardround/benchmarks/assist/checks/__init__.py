"""Typed checks of rubric items, compiled from their sentences and decided without a model."""
