"""A language model answers questions with SQL over a database's kinds of record."""
