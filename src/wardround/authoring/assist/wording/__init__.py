"""Words of turns in two languages, with rubric items and their checks."""
