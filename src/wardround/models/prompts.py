"""Prompts: Markdown files of a package with variables, some with Jinja2 statements."""

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from wardround.core.packaged_data import read_text

if TYPE_CHECKING:
    from jinja2 import Environment

_VARIABLE = re.compile(r"\{\{ (\w+) \}\}")
_BEYOND_VARIABLES = re.compile(r"\{[%{#]")


def fill(package: str, name: str, **values: object) -> str:
    """Renders a prompt file.

    Args:
        package: the package that holds the file.
        name: the file's name.
        values: the values of its variables.

    Raises:
        KeyError: a variable has no value; `jinja2.UndefinedError` in a file with statements.
        FileNotFoundError: there is no such file.
    """
    text = _text(package, name)
    # Importing Jinja2 takes longer than all other work on an agent's rules.
    if _BEYOND_VARIABLES.search(_VARIABLE.sub("", text)):
        return _environment(package).get_template(name).render(**values).strip()
    return _VARIABLE.sub(lambda match: str(values[match[1]]), text).strip()


# Prompts are packaged and do not change; every trial fills them.
_text = cache(read_text)


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
