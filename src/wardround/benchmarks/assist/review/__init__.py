"""Sheets that people fill in, and the agreement of raters."""
