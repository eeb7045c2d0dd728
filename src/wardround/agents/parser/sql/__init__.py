"""SQL of learned kinds: forms with slots, their text, words and roles."""
