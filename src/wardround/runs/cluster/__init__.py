"""Runs on a Ray cluster: trials spread over nodes, their workers, and the files they get."""
