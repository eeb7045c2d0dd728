"""The plans of the shipped sessions, written by hand: a TOML file for each scenario."""
