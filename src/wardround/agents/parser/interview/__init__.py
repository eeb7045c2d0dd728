"""An interview without a model: what to ask, what the answers say, and the query that they make."""
