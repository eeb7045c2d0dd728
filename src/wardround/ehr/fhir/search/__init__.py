"""Search: from a query to SQL, and from rows to a Bundle."""
