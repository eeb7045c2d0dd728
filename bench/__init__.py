"""Measurements of the project's performance goals: `make bench`."""
