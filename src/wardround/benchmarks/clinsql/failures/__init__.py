"""Verdicts on the leaves of both rubrics, by programs and by a language model."""
