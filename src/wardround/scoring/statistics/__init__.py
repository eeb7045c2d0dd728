"""Intervals, bounds, tests and sample sizes, all over tasks."""
