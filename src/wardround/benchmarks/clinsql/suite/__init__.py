"""The shipped items in the published form."""
