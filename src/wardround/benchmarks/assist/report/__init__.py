"""Tables and heat maps of turns, and pairs of runs."""
