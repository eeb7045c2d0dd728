"""Bulk NDJSON: a resource a line, in plain or gzipped files of a folder."""

import gzip
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO

import orjson

from wardround.core.errors import UserError
from wardround.core.private_files import make_folder, open_private, put_in_place
from wardround.ehr.fhir.interaction import Resource

ENDINGS = (".ndjson", ".ndjson.gz")
_NAMED_BY = ("resourceType", "id")


def is_ndjson(path: Path) -> bool:
    """True for an NDJSON file, or a folder with some."""
    if path.is_dir():
        return any(is_ndjson(file) for file in path.iterdir() if file.is_file())
    return path.name.endswith(ENDINGS) and (path.is_file() or not path.exists())


def read_ndjson(path: Path) -> Iterator[Resource]:
    """The resources of a file or of all files of a folder, those with encounters first.

    Raises:
        UserError: there is no such file, or a line is not a resource with a type and an id.
    """
    if not is_ndjson(path):
        raise UserError(f"{path} is no NDJSON file or folder of such files; check the path.")
    for file in ndjson_files(path):
        yield from _read(file)


def ndjson_files(path: Path) -> list[Path]:
    """The NDJSON files of a folder, or the file itself; those with encounters first."""
    files = [path] if path.is_file() else [f for f in path.iterdir() if is_ndjson(f)]
    return sorted(files, key=lambda file: ("Encounter" not in file.name, file.name))


def _read(file: Path) -> Iterator[Resource]:
    opener = gzip.open if file.name.endswith(".gz") else open
    try:
        with opener(file, "rb") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield _resource(line, f"{file}, line {number}")
    except (EOFError, gzip.BadGzipFile) as error:
        raise UserError(f"{file} is damaged ({error}); get a new copy.") from None


def _resource(line: bytes, where: str) -> Resource:
    try:
        resource: Resource = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise UserError(f"{where} is not valid JSON ({error}); get a new copy.") from None
    if not (isinstance(resource, dict) and all(_is_text(resource.get(n)) for n in _NAMED_BY)):
        raise UserError(f"{where} is not a resource with a resourceType and an id; fix the file.")
    return resource


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value)


def write_ndjson(resources: Iterable[Resource], folder: Path) -> dict[str, int]:
    """Writes the resources to `Patient.ndjson` and so on; returns their number by type.

    The files appear once all are complete; an interruption leaves only `.partial` files.

    Args:
        resources: the resources, in any order; a file keeps the order.
        folder: a folder without NDJSON files; created if missing.

    Raises:
        UserError: The folder has NDJSON files already, or it cannot be written.
    """
    _prepare(folder)
    counts = Counter[str]()
    with ExitStack() as files:
        opened: dict[str, IO[bytes]] = {}
        for resource in resources:
            kind = resource["resourceType"]
            if kind not in opened:
                path = _partial(folder, kind)
                opened[kind] = files.enter_context(open_private(path, "wb"))
            opened[kind].write(orjson.dumps(resource, option=orjson.OPT_APPEND_NEWLINE))
            counts[kind] += 1
    for kind in counts:
        put_in_place(_partial(folder, kind), folder / f"{kind}.ndjson")
    return dict(counts)


def _prepare(folder: Path) -> None:
    try:
        make_folder(folder)
    except OSError as error:
        raise UserError(f"{folder} cannot be written ({error.strerror}).") from error
    if present := [*sorted(folder.glob("*.ndjson")), *sorted(folder.glob("*.ndjson.gz"))]:
        raise UserError(f"{folder} already has {present[0].name}; name another folder.")


def _partial(folder: Path, kind: str) -> Path:
    return folder / f"{kind}.ndjson.partial"
