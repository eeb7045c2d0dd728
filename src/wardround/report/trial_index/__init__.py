"""A search index of a run's trials: SQLite with FTS5, beside the run and outside of its chain."""
