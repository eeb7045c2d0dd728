"""The annotation of PhysAssistBench's sessions, on a sheet."""
