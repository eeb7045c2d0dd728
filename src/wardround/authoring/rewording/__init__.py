"""Rewording by a language model: wordings are requested, checked, judged, ranked, pruned."""
