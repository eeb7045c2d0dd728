"""The shipped tasks in the published form."""
