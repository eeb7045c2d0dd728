"""The web page for annotators: server-rendered, works offline (extra `web`)."""
