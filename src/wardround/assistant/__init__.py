"""Serves an agent that was assessed: real people ask it, in the environment of its trials."""
