"""Hostile programs that play a trial: of the audit, and of the tests of confinement."""
