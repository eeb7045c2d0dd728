"""User interfaces: the command line and the Python API."""
