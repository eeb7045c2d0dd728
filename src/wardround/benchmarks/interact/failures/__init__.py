"""Causes of failures, and wrong writes."""
