"""Pure functions that grade: result tables, answers, reliability, statistics."""
