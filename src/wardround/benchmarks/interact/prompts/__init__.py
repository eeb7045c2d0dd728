"""What the agent is told: a Markdown file beside this one, filled in by Jinja2."""

from importlib.resources import files


def fill(name: str, **values: object) -> str:
    """A prompt file with its blanks filled in.

    Raises:
        jinja2.UndefinedError: a blank was left open.
    """
    from jinja2 import StrictUndefined, Template

    source = (files(__name__) / name).read_text(encoding="utf-8")
    filled: str = Template(source, undefined=StrictUndefined, trim_blocks=True).render(**values)
    return filled.strip()
