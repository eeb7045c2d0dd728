"""Programs that build the packaged vocabularies; run by maintainers only."""
