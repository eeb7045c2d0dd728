"""Similarity indexes on disk: one file for each column, replaced atomically, memory-mapped.

A file has a header line of JSON (key, array layout, checksum) followed by the arrays. A damaged or
outdated file counts as missing and is rebuilt.
"""

import os
import tempfile
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from wardround.core.private_files import make_folder, put_in_place

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FORMAT = 1
_ALIGNMENT = 64
_LONGEST_HEADER = 100_000

Arrays = Mapping[str, "NDArray[Any]"]


@dataclass(frozen=True)
class IndexKey:
    """The source of an index.

    Attributes:
        fingerprint: Fingerprint of the database's content.
        table: The table's name.
        column: The column's name.
        embedder: The embedder's name.
    """

    fingerprint: str
    table: str
    column: str
    embedder: str


def write_arrays(path: Path, key: IndexKey, arrays: Arrays) -> None:
    """Write an index atomically.

    Raises:
        OSError: If the path is not writable.
    """
    blocks = [array.tobytes() for array in arrays.values()]
    body = b"".join(block + bytes(-len(block) % _ALIGNMENT) for block in blocks)
    layout = {name: (array.dtype.str, array.shape) for name, array in arrays.items()}
    header = {"key": _key(key), "layout": layout, "checksum": _checksum(layout, body)}
    make_folder(path.parent)
    with tempfile.NamedTemporaryFile(
        dir=path.parent, prefix=path.name, suffix=".tmp", delete=False
    ) as stream:
        stream.write(_aligned_line(orjson.dumps(header)) + body)
    put_in_place(Path(stream.name), path)


def is_stored(path: Path, key: IndexKey) -> bool:
    """True if a file has an index of that key; its content is checked only when read."""
    if not _is_filled(path):
        return False
    with path.open("rb") as stream:
        return _header(stream.readline(_LONGEST_HEADER)).get("key") == _key(key)


def read_arrays(path: Path, key: IndexKey) -> dict[str, "NDArray[Any]"] | None:
    """The arrays of an index, or None if no intact one with that key exists."""
    if not _is_filled(path):
        return None
    import numpy as np

    content = np.memmap(path, dtype=np.uint8, mode="r")
    line = bytes(content[:_LONGEST_HEADER]).split(b"\n", 1)[0] + b"\n"
    header, body = _header(line), content[len(line) :]
    layout = header.get("layout", {})
    if header.get("key") != _key(key) or header.get("checksum") != _checksum(layout, body.data):
        return None
    arrays, start = {}, 0
    for name, (kind, shape) in layout.items():
        size = np.dtype(kind).itemsize * int(np.prod(shape))
        arrays[name] = body[start : start + size].view(kind).reshape(shape)
        start += size + -size % _ALIGNMENT
    return arrays


def _is_filled(path: Path) -> bool:
    return os.access(path, os.R_OK) and path.is_file() and path.stat().st_size > 0


def _key(key: IndexKey) -> dict[str, str | int]:
    return {"format": _FORMAT} | asdict(key)


def _checksum(layout: Mapping[str, object], body: bytes | memoryview) -> int:
    return zlib.crc32(body, zlib.crc32(orjson.dumps(layout)))


def _aligned_line(text: bytes) -> bytes:
    return text + b" " * (-(len(text) + 1) % _ALIGNMENT) + b"\n"


def _header(line: bytes) -> dict[str, Any]:
    try:
        header = orjson.loads(line)
    except orjson.JSONDecodeError:
        return {}
    return header if isinstance(header, dict) else {}
