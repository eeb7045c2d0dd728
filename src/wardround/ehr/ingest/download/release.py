"""What is known of each published release: where it is, under which licence, how to cite it."""

import tomllib
from dataclasses import dataclass
from importlib.resources import files

from wardround.core.errors import UserError


@dataclass(frozen=True)
class Release:
    """One version of a published database.

    Attributes:
        url: The folder that holds its files, with a slash at the end.
        page: Where a person reads about it, or applies for it.
        schema: What `wardround data build` calls its schema.
        open: Anyone may fetch it; otherwise PhysioNet gives it to credentialed persons.
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
    """The names of all known releases, in alphabetical order.

    >>> release_names()
    ['eicu', 'eicu-demo', 'mimic-iii', 'mimic-iii-demo', 'mimic-iv', 'mimic-iv-demo']
    """
    folder = files("wardround.ehr.ingest.download").joinpath("releases")
    return sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir())


def find_release(name: str) -> Release:
    """The release of that name, hyphens or underscores.

    >>> find_release("eicu_demo").version
    '2.0.1'

    Raises:
        UserError: If it is not known.
    """
    wanted = name.lower().replace("_", "-")
    if wanted not in release_names():
        raise UserError(
            f"There is no release {name!r}; choose one of {', '.join(release_names())}."
        )
    folder = files("wardround.ehr.ingest.download").joinpath("releases")
    return Release(**tomllib.loads(folder.joinpath(f"{wanted}.toml").read_text("utf-8")))
