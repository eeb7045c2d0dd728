"""Similarity indexes on disk: one file a column, replaced whole, memory-mapped when read.

A file is a line of JSON (what it was made from, where each array lies, a checksum) and then the
arrays. Anything unexpected in it makes it count as missing, so that it is built anew.
"""

import os
import tempfile
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FORMAT = 1
_ALIGNED = 64

Arrays = Mapping[str, "NDArray[Any]"]


@dataclass(frozen=True)
class IndexKey:
    """What an index was made from; another key needs another index.

    Attributes:
        fingerprint: The database's content.
        table: The table's name.
        column: The column's name.
        embedder: The embedder's name.
    """

    fingerprint: str
    table: str
    column: str
    embedder: str


def write_arrays(path: Path, key: IndexKey, arrays: Arrays) -> None:
    """Write an index so that a reader sees the old one or the new one and never a part.

    Raises:
        OSError: If it cannot be written there.
    """
    blocks = [array.tobytes() for array in arrays.values()]
    body = b"".join(block + bytes(-len(block) % _ALIGNED) for block in blocks)
    layout = {name: (array.dtype.str, array.shape) for name, array in arrays.items()}
    head = {"key": _key(key), "layout": layout, "checksum": _checksum(layout, body)}
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(
        dir=path.parent, prefix=path.name, suffix=".tmp", delete=False
    ) as stream:
        stream.write(_aligned_line(orjson.dumps(head)) + body)
    Path(stream.name).replace(path)


def read_arrays(path: Path, key: IndexKey) -> dict[str, "NDArray[Any]"] | None:
    """The arrays of an index, or None if there is no sound one made from that key."""
    import numpy as np

    if not os.access(path, os.R_OK) or not path.is_file() or not path.stat().st_size:
        return None
    content = np.memmap(path, dtype=np.uint8, mode="r")
    line = bytes(content[:100_000]).split(b"\n", 1)[0] + b"\n"
    head, body = _head(line), content[len(line) :]
    layout = head.get("layout", {})
    if head.get("key") != _key(key) or head.get("checksum") != _checksum(layout, body.data):
        return None
    arrays, start = {}, 0
    for name, (kind, shape) in layout.items():
        size = np.dtype(kind).itemsize * int(np.prod(shape))
        arrays[name] = body[start : start + size].view(kind).reshape(shape)
        start += size + -size % _ALIGNED
    return arrays


def _key(key: IndexKey) -> dict[str, str | int]:
    return {"format": _FORMAT} | asdict(key)


def _checksum(layout: Mapping[str, object], body: bytes | memoryview) -> int:
    return zlib.crc32(body, zlib.crc32(orjson.dumps(layout)))


def _aligned_line(text: bytes) -> bytes:
    return text + b" " * (-(len(text) + 1) % _ALIGNED) + b"\n"


def _head(line: bytes) -> dict[str, Any]:
    try:
        head = orjson.loads(line)
    except orjson.JSONDecodeError:
        return {}
    return head if isinstance(head, dict) else {}
