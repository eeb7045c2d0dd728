"""Files of a run that nodes of a cluster get by the digest of their content.

A node keeps them in its cache folder, so that a database travels there once.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import BaseModel

from wardround.core.errors import UserError
from wardround.core.folders import cache_folder
from wardround.core.locations import is_url
from wardround.core.private_files import make_folder, open_private
from wardround.core.scratch_folder import ScratchFolder
from wardround.runs.agent_files import content_digest
from wardround.runs.settings import RunSettings

CHUNK_BYTES = 8 << 20

Trained: TypeAlias = Mapping[str, Path]


@dataclass(frozen=True, slots=True)
class CarriedFile:
    """A file or folder that travels.

    Attributes:
        path: its path where it comes from.
        digest: the digest of its content, and of the names in a folder.
        parts: its files by their names beneath `path`; one without a name if it is a file itself.
    """

    path: Path
    digest: str
    parts: tuple[str, ...]

    @classmethod
    def of(cls, path: Path) -> "CarriedFile":
        """The file or folder at a path.

        Raises:
            UserError: there is none.
        """
        if path.is_file():
            return cls(path, content_digest(path), ("",))
        if not path.is_dir():
            raise UserError(f"{path} does not exist, so it cannot be sent to a cluster.")
        files = sorted(each for each in path.rglob("*") if each.is_file())
        parts = tuple(str(file.relative_to(path)) for file in files)
        lines = (f"{content_digest(path / part)} {part}\n" for part in parts)
        return cls(path, sha256("".join(lines).encode()).hexdigest(), parts)

    @property
    def is_folder(self) -> bool:
        """True for a folder, which may be empty."""
        return self.parts != ("",)

    @property
    def node_path(self) -> Path:
        """Its path on a node."""
        return _store() / self.digest / self.path.name

    def chunks(self) -> Iterator[tuple[str, bytes]]:
        """The content in order, as names of parts with some of their bytes."""
        for part in self.parts:
            with (self.path / part).open("rb") as file:
                yield part, b""
                while chunk := file.read(CHUNK_BYTES):
                    yield part, chunk


@dataclass(slots=True)
class Arrival:
    """A file or folder on its way into this node's cache."""

    file: CarriedFile
    _scratch: ScratchFolder = field(init=False)

    def __post_init__(self) -> None:
        make_folder(_store())
        self._scratch = ScratchFolder(_store())
        if self.file.is_folder:
            make_folder(self._path)

    def add(self, part: str, chunk: bytes) -> None:
        """Appends bytes to one of its files."""
        path = self._path / part
        make_folder(path.parent)
        with open_private(path, "ab") as file:
            file.write(chunk)

    def close(self) -> None:
        """Puts it in its place if its content has the digest that was announced.

        Raises:
            UserError: it has not, since the file was changed on its way.
        """
        with self._scratch:
            if CarriedFile.of(self._path).digest != self.file.digest:
                raise UserError(
                    f"{self.file.path} was changed while it was sent to the cluster; start again."
                )
            if not self.file.node_path.exists():  # another worker may have been faster
                make_folder(self.file.node_path.parent)
                self._path.replace(self.file.node_path)

    @property
    def _path(self) -> Path:
        return self._scratch.path / self.file.path.name


def carried_files(settings: RunSettings, trained: Trained) -> list[CarriedFile]:
    """The files that a worker reads.

    Raises:
        UserError: one does not exist.
    """
    return [CarriedFile.of(path) for path in dict.fromkeys(_paths(settings, trained))]


def relocated(
    settings: RunSettings, trained: Trained, files: Sequence[CarriedFile]
) -> tuple[RunSettings, dict[str, Path]]:
    """The settings and trained files of a run as they are on a node."""
    node_paths: dict[object, Path] = {file.path: file.node_path for file in files}

    def moved(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(moved, value))
        return node_paths.get(value, value)

    databases = {
        name: location if is_url(location) else str(moved(Path(location)))
        for name, location in settings.databases.items()
    }
    fields: dict[str, Any] = {"agent_model": moved(settings.agent_model), "databases": databases}
    options = {name: moved(value) for name, value in _fields(settings.options)}
    fields["options"] = settings.options.model_copy(update=options)
    fields["replay"] = moved(settings.replay)
    return settings.model_copy(update=fields), {name: moved(path) for name, path in trained.items()}


def _paths(settings: RunSettings, trained: Trained) -> Iterator[Path]:
    yield from (Path(each) for each in settings.databases.values() if not is_url(each))
    yield from (path for path in (settings.agent_model, settings.replay) if path)
    for _, value in _fields(settings.options):
        yield from (each for each in _each(value) if isinstance(each, Path))
    yield from trained.values()


def _fields(options: BaseModel) -> Iterator[tuple[str, Any]]:
    return ((name, getattr(options, name)) for name in type(options).model_fields)


def _each(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def _store() -> Path:
    return cache_folder() / "carried"
