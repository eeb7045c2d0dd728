"""Results in the published form: result folders, read, written and scored."""
