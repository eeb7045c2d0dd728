"""Checks of leaves: compiled once from a requirement, decided without a language model."""
