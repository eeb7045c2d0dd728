"""The SQL writer: a language model shown examples, trusted as far as its samples agree."""
