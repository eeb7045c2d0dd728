"""Scoring of a file of predictions."""
