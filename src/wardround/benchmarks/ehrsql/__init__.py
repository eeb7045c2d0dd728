"""EHRSQL: know the answer, or know that you don't."""
