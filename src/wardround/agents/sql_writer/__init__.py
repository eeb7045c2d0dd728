"""The SQL writer: a language model with examples, whose samples vote on the answer."""
