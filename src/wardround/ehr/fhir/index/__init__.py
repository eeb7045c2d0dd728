"""The values of a resource that searches look at, by search parameter."""
