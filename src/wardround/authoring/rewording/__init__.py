"""Rewording by a language model: request wordings, then check, judge, rank and prune them."""
