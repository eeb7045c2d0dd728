"""Classes of the errors of failed leaves: by rules, then by a language model."""
