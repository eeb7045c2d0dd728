"""Tells by hostile and empty agents whether a benchmark can be passed without solving a task."""
