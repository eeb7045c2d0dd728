"""A plug-in as somebody else would write it: a benchmark, an agent, a maker and a scorer."""
