"""Names in questions: the values of the database that they stand for."""
