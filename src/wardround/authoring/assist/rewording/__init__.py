"""Rewording of made questions by a language model; each keeps what the rule's question asks."""
