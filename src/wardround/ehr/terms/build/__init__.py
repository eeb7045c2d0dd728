"""Programs that make the packaged vocabularies; run by maintainers, never at run time."""
