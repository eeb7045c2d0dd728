"""Comparison of a query with the gold: cohorts, columns and results, on several databases."""
