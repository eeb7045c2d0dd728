"""SQLite behind the database interface."""
