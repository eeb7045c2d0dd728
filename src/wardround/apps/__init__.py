"""User interfaces: the command line, the Python API, the MCP server, and the pages (`web`)."""
