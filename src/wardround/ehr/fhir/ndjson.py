"""Bulk NDJSON: a resource a line, in plain or gzipped files of a folder."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import orjson

from wardround.core.errors import UserError
from wardround.ehr.fhir.interaction import Resource

ENDINGS = (".ndjson", ".ndjson.gz")


def is_ndjson(path: Path) -> bool:
    """True for an NDJSON file, or a folder with some."""
    if path.is_dir():
        return any(is_ndjson(file) for file in path.iterdir() if file.is_file())
    return path.name.endswith(ENDINGS)


def read_ndjson(path: Path) -> Iterator[Resource]:
    """The resources of a file or of all files of a folder, those with encounters first.

    Raises:
        UserError: there is no such file, or a line is no resource with a type and an id.
    """
    if not is_ndjson(path):
        raise UserError(f"{path} is no NDJSON file or folder of such files; check the path.")
    files = [path] if path.is_file() else [f for f in path.iterdir() if f.name.endswith(ENDINGS)]
    for file in sorted(files, key=lambda file: ("Encounter" not in file.name, file.name)):
        yield from _read(file)


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
    if not (isinstance(resource, dict) and resource.get("resourceType") and resource.get("id")):
        raise UserError(f"{where} is no resource with a resourceType and an id; fix the file.")
    return resource
