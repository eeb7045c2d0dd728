"""Trains the classifier of instructions' clauses."""
