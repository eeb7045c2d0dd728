"""Classes of errors: by rule, by a language model, and as tables (5.3)."""
