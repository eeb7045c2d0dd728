"""Golds and test programs: run, cached and checked."""
