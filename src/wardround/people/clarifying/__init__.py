"""Simulated users who clear up what they asked for, and never tell how it is queried."""
