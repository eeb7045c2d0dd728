"""Runs, suites and databases among the files that an agent would see."""

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import wardround
from wardround.core import plugins
from wardround.core.errors import UserError
from wardround.core.folders import cache_folder, data_folder, state_folder
from wardround.core.run_document import SETTINGS, TRIALS
from wardround.core.run_key import key_path
from wardround.ehr.database.engine import engines

# Parts of wardround that hold tasks, make them, or make the synthetic hospital's records.
SECRET_PARTS = ("benchmarks", "authoring", "ehr/hospital")
_MAKING_GROUPS = ("wardround.benchmarks", "wardround.makers")
_PROCESSES = Path("/proc")  # with the environments of other processes
_CLUSTER = "PG_VERSION"  # a file in each folder of a PostgreSQL server
_JOURNALS = ("-wal", "-shm", "-journal", ".wal")


def check_readable(path: Path, protected: Sequence[Path], named: str) -> None:
    """Refuse a path that an agent must not read.

    Args:
        path: A file or folder.
        protected: Files and folders of the run.
        named: How the user named it, for the message.

    Raises:
        UserError: It is missing, or it holds, or is in, a run, a suite, a database or /proc.
    """
    real = path.resolve()
    if not real.exists():
        raise UserError(f"{named} names nothing that exists; check the path.")
    found = next(_protected_at(real, protected), None)
    if found == _PROCESSES:
        raise UserError(
            f"{named} is refused, since {found} shows other processes; name a path without it."
        )
    if found is not None:
        raise UserError(
            f"{named} is refused, since {found} is a run, a suite or a database; name a path "
            "without any."
        )


def runs_in(folder: Path) -> Iterator[Path]:
    """The runs beneath a folder."""
    for where, _, files in os.walk(folder):
        if SETTINGS in files and TRIALS in files:
            yield Path(where)


def secret_paths(installed: Iterable[Path], agent: str) -> list[Path]:
    """Folders of suites and their makers, and wardround's own of the user, with the runs' key.

    Args:
        installed: Folders of installed packages, which may hold another copy of wardround.
        agent: The agent's own package, which is never hidden from it.
    """
    packages = {Path(wardround.__file__).parent, *(each / "wardround" for each in installed)}
    own = [package / part for package in packages for part in SECRET_PARTS]
    users = [key_path(), state_folder(), data_folder()]
    return [*own, *users, *_packages_of_others(agent)]


def _packages_of_others(agent: str) -> Iterator[Path]:
    """Packages of other benchmarks and makers of tasks."""
    points = [point for group in _MAKING_GROUPS for point in plugins.installed(group)]
    names = {point.value.partition(":")[0].partition(".")[0] for point in points}
    for name in sorted(names - {"wardround", agent}):
        spec = find_spec(name)
        if spec is not None:
            yield from map(Path, spec.submodule_search_locations or ())


def _protected_at(path: Path, protected: Sequence[Path]) -> Iterator[Path]:
    """The protected things at a path, around it, or beneath it."""
    known = [*protected, *secret_paths((), ""), cache_folder(), _PROCESSES]
    for secret in (each.resolve() for each in known):
        if secret.is_relative_to(path) or path.is_relative_to(secret):
            yield secret
    yield from (folder for folder in (path, *path.parents) if _is_run_or_cluster(folder))
    if path.is_file():
        yield from [path] if _is_database(path) else []
        return
    for where, _, files in os.walk(path):
        if _is_run_or_cluster(Path(where)):
            yield Path(where)
        yield from (each for name in files if _is_database(each := Path(where, name)))


def _is_run_or_cluster(folder: Path) -> bool:
    is_run = (folder / SETTINGS).is_file() and (folder / TRIALS).is_file()
    return is_run or (folder / _CLUSTER).is_file()


def _is_database(path: Path) -> bool:
    """True if a file is a database by its first bytes, or the journal of one."""
    for suffix in _JOURNALS:
        if path.name.endswith(suffix) and _is_database(Path(str(path).removesuffix(suffix))):
            return True
    try:
        with open(path, "rb", opener=_opened_at_once) as file:
            first = file.read(max(offset + len(magic) for offset, magic in _magics())) or b""
    except OSError:
        return False  # not even readable
    return any(first[offset:].startswith(magic) for offset, magic in _magics())


def _opened_at_once(path: str, flags: int) -> int:
    """Open a file without waiting for the other end of a pipe or the data of a device."""
    return os.open(path, flags | os.O_NONBLOCK)


@cache
def _magics() -> tuple[tuple[int, bytes], ...]:
    """The offsets and magic bytes of all engines' files."""
    return tuple((each.magic_offset, each.magic) for each in engines().values() if each.magic)
