"""Annotation: items that several people write and validate in turn, as the pages show them."""
