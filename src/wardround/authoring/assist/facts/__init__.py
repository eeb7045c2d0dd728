"""Facts of a record and its patient, as values with their sources."""
