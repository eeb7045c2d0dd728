"""Checks of a query decided by what the query means, without running it."""
