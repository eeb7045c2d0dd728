"""The published form: items, submissions and verdict files, read, written and scored."""
