"""The hospital as MIMIC-III 1.4 publishes one: all tables but the notes."""
