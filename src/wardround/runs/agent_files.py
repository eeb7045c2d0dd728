"""The files that a run's agent consists of, and a digest of them."""

from collections.abc import Callable
from hashlib import file_digest, sha256
from pathlib import Path

from wardround.core import plugins
from wardround.core.confinement import is_own
from wardround.runs.settings import RunSettings

_CODE_FILES = "wardround.agents.isolated.code_files:code_files"


def agent_files(settings: RunSettings) -> list[Path]:
    """The files of the agent's code, unless it is wardround's own, and of what it was trained into.

    None is imported.
    """
    is_built_in, trained = is_own(settings.agent), _files_in(settings.agent_model)
    return trained if is_built_in else [*code_files(settings.agent), *trained]


def agent_digest(settings: RunSettings) -> str:
    """A digest of the agent's files; "" if it has none."""
    files = agent_files(settings)
    return sha256("".join(map(content_digest, files)).encode()).hexdigest() if files else ""


def code_files(import_path: str) -> list[Path]:
    """The files of the code at an import path such as `module:function`, without importing any."""
    # Found by its import path, since runs import no agents.
    files: Callable[[str], list[Path]] = plugins.implementation(_CODE_FILES)
    return files(import_path)


def content_digest(path: Path) -> str:
    """The digest of a file's content."""
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _files_in(path: Path | None) -> list[Path]:
    if path is None or path.is_file():
        return [path] if path else []
    return sorted(each for each in path.rglob("*") if each.is_file())
