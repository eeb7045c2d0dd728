"""PostgreSQL behind the database interface."""
