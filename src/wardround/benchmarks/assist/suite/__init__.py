"""The shipped sessions, their plans and their record."""
