"""The SQL writer: a language model with examples; its samples vote on the answer."""
