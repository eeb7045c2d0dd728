"""Building databases: download, import, preparation and renaming of published releases."""
