"""The agent's instructions, Jinja2 templates in Markdown."""
