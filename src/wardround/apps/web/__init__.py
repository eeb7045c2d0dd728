"""The chat page, the viewer of runs and the server of FHIR records; all offline (extra `web`)."""
