"""Rubric trees: reading, checking and folding them (ClinSQL, Lee et al. 2025, 3.3)."""
