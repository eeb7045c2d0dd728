"""DuckDB behind the database interface."""
