"""Reads runs and shows them: tables, plots, HTML."""
