"""Rubric trees: reading, checking and folding them (Shen et al. 2026, 3.3)."""
