"""Rewording of made instructions by a language model; each sentence keeps what it says."""
