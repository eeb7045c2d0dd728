"""The BigQuery dialect (GoogleSQL) on a DuckDB file."""
