"""The annotation of items: roles, states, history and validation (Shen et al. 2026, 3.4, N)."""
