"""Recordings of the program's behaviour, compared before and after a change."""
