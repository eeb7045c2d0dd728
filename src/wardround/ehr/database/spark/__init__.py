"""Spark behind the database interface."""
