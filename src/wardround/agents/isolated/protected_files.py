"""Runs, suites and databases among the files that an agent would see."""

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
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
_MAKING_GROUPS = (plugins.BENCHMARKS, plugins.work("make"))
_PROCESSES = Path("/proc")  # with the environments of other processes
_CLUSTER = "PG_VERSION"  # a file in each folder of a PostgreSQL server
_SECTOR = 512  # databases have a whole number of these
_MOST_ENTRIES = 1_000_000
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
        raise UserError(f"{named} names a path that does not exist; check it.")
    reason = next(_protected_at(real, protected), None)
    if reason == _PROCESSES:
        raise UserError(
            f"{named} is refused, since {reason} shows other processes; name a path without it."
        )
    if reason is not None:
        raise UserError(
            f"{named} is refused, since {reason} is a run, a suite or a database; name a path "
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
    packaged = [package / part for package in packages for part in SECRET_PARTS]
    users = [key_path(), state_folder(), data_folder()]
    return [*packaged, *users, *_packages_of_others(agent)]


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
    yield from (folder for folder in path.parents if _is_wardround(folder))
    if path.is_file():
        yield from [path] if _is_database(path) else []
        return
    for folder, files in _contents(path):
        if _is_secret({file.name for file in files}) or _is_wardround(folder):
            yield folder
        candidates = (Path(file.path) for file in files if _may_be_database(file))
        yield from filter(_is_database, candidates)


def _contents(path: Path) -> Iterator[tuple[Path, list["os.DirEntry[str]"]]]:
    """Each folder at a path with its files; opens no file and follows no link.

    Raises:
        UserError: There are too many.
    """
    waiting, count = [str(path)], 0
    while waiting:
        folder, files = waiting.pop(), []
        for entry in _entries(folder):
            if entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)
            elif entry.is_file(follow_symlinks=False):
                files.append(entry)
            count += 1
        if count > _MOST_ENTRIES:
            raise UserError(
                f"The folder {path} has more than {_MOST_ENTRIES:,} files and folders, too many to "
                "look for runs, suites and databases; allow a smaller one."
            )
        yield Path(folder), files


def _entries(folder: str) -> list["os.DirEntry[str]"]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []  # not even listable, neither for the agent


def _is_run_or_cluster(folder: Path) -> bool:
    return _is_secret({n for n in (SETTINGS, TRIALS, _CLUSTER) if (folder / n).is_file()})


def _is_secret(names: Collection[str]) -> bool:
    """True for the names of files of a run or of a PostgreSQL server."""
    return {SETTINGS, TRIALS} <= set(names) or _CLUSTER in names


def _is_wardround(folder: Path) -> bool:
    """True for a copy of wardround, and for the tests of a checkout, which hold gold."""
    checkout = folder.parent / "src" / "wardround" if folder.name == "tests" else folder
    return all((checkout / part).is_dir() for part in SECRET_PARTS)


def _may_be_database(file: "os.DirEntry[str]") -> bool:
    """True if a file has a database's suffix, or its size is a whole number of sectors."""
    if file.name.endswith(_suffixes()):
        return True
    size = file.stat(follow_symlinks=False).st_size
    return size > 0 and size % _SECTOR == 0


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
def _suffixes() -> tuple[str, ...]:
    """The suffixes of all engines' files."""
    return tuple(suffix for each in engines().values() for suffix in each.suffixes)


@cache
def _magics() -> tuple[tuple[int, bytes], ...]:
    """The offsets and magic bytes of all engines' files."""
    return tuple((each.magic_offset, each.magic) for each in engines().values() if each.magic)
