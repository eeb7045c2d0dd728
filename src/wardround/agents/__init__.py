"""Agents: they turn observations into actions, with a language model or without (`parser`)."""
