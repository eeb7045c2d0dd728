"""Prompts: Jinja2 templates in the Markdown files of a package."""

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment


def fill(package: str, name: str, **values: object) -> str:
    """Renders a prompt file.

    Args:
        package: the package that holds the file.
        name: the file's name.
        values: the values of its variables.

    Raises:
        jinja2.UndefinedError: a variable has no value.
        jinja2.TemplateNotFound: there is no such file.
    """
    return _environment(package).get_template(name).render(**values).strip()


@cache
def _environment(package: str) -> "Environment":
    from jinja2 import Environment, FunctionLoader, StrictUndefined, select_autoescape

    def read(name: str) -> str | None:
        file = files(package) / name
        return file.read_text(encoding="utf-8") if file.is_file() else None

    return Environment(
        loader=FunctionLoader(read),
        undefined=StrictUndefined,
        autoescape=select_autoescape(),
        trim_blocks=True,
        lstrip_blocks=True,
    )
