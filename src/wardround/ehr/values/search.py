"""Similarity search in database columns, with indexes stored next to the database.

An index is one file for each column, replaced atomically and memory-mapped.
"""

import os
import tempfile
import tomllib
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import orjson

from wardround.core.folders import cache_folder
from wardround.core.private_files import make_folder, put_in_place
from wardround.ehr.database import Database, find_column, find_table
from wardround.ehr.values.embedders import Embedder, WordLlamaEmbedder
from wardround.ehr.values.index import FLOOR, Match, SimilarityIndex
from wardround.ehr.values.lexical import Trigrams
from wardround.ehr.values.substring import distinct_values

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


class ValueIndexes:
    """The similarity indexes of one database, built on first use and cached.

    They contain values of the database, so they are stored next to it in `<database>.values`, or
    in the user's cache folder if that is not writable.

    Attributes:
        database: The database.
        embedder: The embedder of the values.
    """

    def __init__(self, database: Database, embedder: Embedder | None = None):
        self.database = database
        self.embedder = embedder or WordLlamaEmbedder()
        self._loaded: dict[IndexKey, SimilarityIndex] = {}
        self._lock = Lock()

    def of(self, table: str, column: str) -> SimilarityIndex:
        """The index of one column.

        Raises:
            QueryError: If there is no such table or column.
        """
        key = self._key(table, column)
        with self._lock:
            if key not in self._loaded:
                self._loaded[key] = self._stored(key) or self._built(key)
            return self._loaded[key]

    def build(self, table: str, column: str) -> None:
        """Build the index of one column unless it is stored; a stored one is read on first use.

        Raises:
            QueryError: If there is no such table or column.
        """
        key = self._key(table, column)
        if not any(is_stored(folder / _file_name(key), key) for folder in self._folders()):
            self.of(table, column)

    def _key(self, table: str, column: str) -> IndexKey:
        table = find_table(self.database, table)
        column = find_column(self.database, table, column).name
        return IndexKey(self.database.fingerprint(), table, column, self.embedder.name)

    def _stored(self, key: IndexKey) -> SimilarityIndex | None:
        for folder in self._folders():
            arrays = read_arrays(folder / _file_name(key), key)
            if arrays is not None:
                return _from_arrays(arrays, self.embedder)
        return None

    def _built(self, key: IndexKey) -> SimilarityIndex:
        values = distinct_values(self.database, key.table, key.column)
        index = SimilarityIndex.build(values, self.embedder)
        index_folder, cache = self._folders()
        try:
            write_arrays(index_folder / _file_name(key), key, _to_arrays(index))
        except OSError:
            write_arrays(cache / _file_name(key), key, _to_arrays(index))
        return index

    def _folders(self) -> tuple[Path, Path]:
        cache = cache_folder() / "values"
        beside = Path(f"{self.database.url}.values")
        return beside, cache / self.database.fingerprint()


def similarity_search(
    indexes: ValueIndexes,
    table: str,
    column: str,
    value: str,
    k: int = 100,
    *,
    floor: float = FLOOR,
    expand: Callable[[str], Iterable[str]] | None = None,
) -> list[Match]:
    """The values of a column similar to a text in meaning or spelling (Lee et al. 2025, A.2).

    Args:
        indexes: The database's indexes.
        table: The table, in any case.
        column: The column, in any case.
        value: The text to search for.
        k: Maximum number of values.
        floor: Minimum score; see `SimilarityIndex.search`.
        expand: Returns synonyms of the text, such as a drug's generic name for its brand.

    Raises:
        QueryError: If there is no such table or column.
    """
    also = list(expand(value)) if expand else []
    return indexes.of(table, column).search(value, k, floor, also)


def build_indexes(indexes: ValueIndexes, columns: Iterable[tuple[str, str]]) -> None:
    """Build the indexes of the columns in advance, unless they are stored already."""
    for table, column in columns:
        indexes.build(table, column)


def preindexed_columns(schema: str) -> list[tuple[str, str]]:
    """The (table, column) pairs to index in advance (Lee et al. 2025, A.2).

    Columns of other schemas are indexed on first use.

    >>> preindexed_columns("mimic_iv_star")[3]
    ('diagnosiscodes', 'description')
    """
    text = files("wardround.ehr.values").joinpath("preindexed.toml").read_text(encoding="utf-8")
    tables = tomllib.loads(text).get(schema, {})
    return [(table, column) for table, columns in tables.items() for column in columns]


def _file_name(key: IndexKey) -> str:
    parts = (key.table, key.column, key.embedder)
    return ".".join(quote(part, safe=" ").replace(".", "%2E") for part in parts) + ".index"


def _to_arrays(index: SimilarityIndex) -> dict[str, "NDArray[Any]"]:
    import numpy as np

    return {
        "values": np.frombuffer(orjson.dumps(index.values), dtype=np.uint8),
        "vectors": index.vectors,
        "pieces": index.trigrams.pieces,
        "starts": index.trigrams.starts,
        "holders": index.trigrams.holders,
    }


def _from_arrays(arrays: dict[str, "NDArray[Any]"], embedder: Embedder) -> SimilarityIndex:
    trigrams = Trigrams(arrays["pieces"], arrays["starts"], arrays["holders"])
    values = orjson.loads(arrays["values"].tobytes())
    return SimilarityIndex(values, arrays["vectors"], trigrams, embedder)
