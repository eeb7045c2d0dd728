"""A new package with a plug-in, its entry point and its tests, which pass as it is written."""

from pathlib import Path
from string import Template
from typing import Literal, TypeAlias

from wardround.core.errors import UserError
from wardround.core.packaged_data import read_text

Kind: TypeAlias = Literal["benchmark", "agent", "engine"]
_FILES = ("pyproject.toml", "README.md", "src/$name/__init__.py", "tests/test_$name.py")
_TEXTS = ("pyproject.toml.txt", "README.md.txt", "src.py.txt", "tests.py.txt")
_GROUPS = {
    "benchmark": ("wardround.benchmarks", "BENCHMARK"),
    "agent": ("wardround.agents", "AGENT"),
    "engine": ("wardround.engines", "ENGINE"),
}


def write_package(kind: Kind, name: str, to: Path) -> None:
    """Writes the package.

    Args:
        kind: what the plug-in is.
        name: its name, also the module's.
        to: the package's folder, which does not exist yet.

    Raises:
        UserError: the name is not an identifier, or the folder exists.
    """
    if not name.isidentifier() or name != name.lower():
        raise UserError(
            f"{name!r} is not a name of a module; use lower-case letters, digits and '_'."
        )
    if to.exists():
        raise UserError(f"{to} exists already; name another folder with --to.")
    group, attribute = _GROUPS[kind]
    values = {"name": name, "kind": kind, "group": group, "attribute": attribute}
    for file, text in zip(_FILES, _TEXTS, strict=True):
        stored = f"{kind}/{text}" if text.endswith(".py.txt") else text
        path = to / Template(file).substitute(values)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(Template(read_text(__name__, stored)).substitute(values), encoding="utf-8")
