"""Plans of sessions: their cells, and drafts of their turns."""
