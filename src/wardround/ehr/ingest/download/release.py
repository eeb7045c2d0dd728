"""Metadata of published releases: address, licence, citation."""

import tomllib
from dataclasses import dataclass
from importlib.resources import files

from wardround.core.errors import UserError


@dataclass(frozen=True)
class Release:
    """One version of a published database.

    Attributes:
        url: The folder of its files, ending in a slash.
        page: The web page that describes it or grants access.
        schema: The schema's name for `wardround data build`.
        open: True if publicly accessible; otherwise PhysioNet requires credentials.
    """

    name: str
    title: str
    version: str
    url: str
    page: str
    licence: str
    citation: str
    schema: str
    open: bool


def release_names() -> list[str]:
    """The names of all known releases, sorted.

    >>> release_names()
    ['eicu', 'eicu-demo', 'mimic-iii', 'mimic-iii-demo', 'mimic-iv', 'mimic-iv-demo']
    """
    folder = files("wardround.ehr.ingest.download").joinpath("releases")
    return sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir())


def find_release(name: str) -> Release:
    """The release of that name, with hyphens or underscores.

    >>> find_release("eicu_demo").version
    '2.0.1'

    Raises:
        UserError: If it is unknown.
    """
    key = name.lower().replace("_", "-")
    if key not in release_names():
        raise UserError(
            f"There is no release {name!r}; choose one of {', '.join(release_names())}."
        )
    folder = files("wardround.ehr.ingest.download").joinpath("releases")
    return Release(**tomllib.loads(folder.joinpath(f"{key}.toml").read_text("utf-8")))
