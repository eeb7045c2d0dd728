"""Published releases read, prepared, renamed and corrected: everything that makes databases."""
