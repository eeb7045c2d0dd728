"""The shipped questions and their record."""
