"""The agent's instructions: Markdown files beside this one, filled in by Jinja2."""
