"""Typed facts of a record: an answer's claims about a fact are compared with its value."""
