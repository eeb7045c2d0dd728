"""Gates that a session passes before it is kept."""
