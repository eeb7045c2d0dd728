"""Similarity search in database columns, with indexes stored next to the database."""

import tomllib
from collections.abc import Callable, Iterable
from importlib.resources import files
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import orjson

from wardround.core.folders import cache_folder
from wardround.ehr.database import Database, find_column, find_table
from wardround.ehr.values.embedders import Embedder, WordLlamaEmbedder
from wardround.ehr.values.index import FLOOR, Match, SimilarityIndex
from wardround.ehr.values.lexical import Trigrams
from wardround.ehr.values.storage import IndexKey, is_stored, read_arrays, write_arrays
from wardround.ehr.values.substring import distinct_values

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
        beside, cache = self._folders()
        try:
            write_arrays(beside / _file_name(key), key, _to_arrays(index))
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
