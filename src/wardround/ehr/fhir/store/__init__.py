"""The record on disk: resources and their index in SQLite, and the writes over it."""
