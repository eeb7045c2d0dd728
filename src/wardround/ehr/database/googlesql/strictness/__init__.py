"""Refuses what BigQuery refuses and DuckDB would run."""
