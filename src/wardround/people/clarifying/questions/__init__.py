"""Questions to the user: recorded, normalized and classified."""
