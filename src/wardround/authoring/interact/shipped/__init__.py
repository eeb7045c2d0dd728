"""The definitions of the shipped tasks."""
