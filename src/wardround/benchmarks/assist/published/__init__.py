"""The published form: sessions and result folders, read, written and scored."""
