"""What the agent is told: Markdown files beside this one, filled in by Jinja2."""
