"""Reports of runs: tables, plots, HTML."""
