"""What models are told: Markdown files of a package, filled in by Jinja2."""

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment


def fill(package: str, name: str, **values: object) -> str:
    """A prompt file with its blanks filled in.

    Args:
        package: where the file is, such as `__name__` of the package beside it.
        name: the file.
        values: what goes into its blanks.

    Raises:
        jinja2.UndefinedError: a blank was left open.
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
