"""BigQuery behind the database interface."""
