"""EHR-ChatQA: find out what the user means and what the database calls it."""
