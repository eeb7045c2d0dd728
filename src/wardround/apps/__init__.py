"""The ways in: command line, web, adapters."""
