"""The report: tables and heat maps of turns, and pairs of runs."""
