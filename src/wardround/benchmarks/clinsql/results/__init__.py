"""Results in the published form: submissions and verdict files, read, written and scored."""
