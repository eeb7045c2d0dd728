"""Tells on a user's own database whether an agent can be trusted, by a policy."""
