"""Similarity search in a database's columns, over indexes kept beside it."""

from collections.abc import Callable, Iterable
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import orjson

from wardround.core.folders import cache_folder
from wardround.ehr.database import Database, find_column, find_table
from wardround.ehr.values.embedders import Embedder, WordLlamaEmbedder
from wardround.ehr.values.index import FLOOR, Match, SimilarityIndex
from wardround.ehr.values.storage import IndexKey, read_arrays, write_arrays
from wardround.ehr.values.substring import distinct_values
from wardround.ehr.values.trigrams import Trigrams

if TYPE_CHECKING:
    from numpy.typing import NDArray


class ValueIndexes:
    """The similarity indexes of one database: built when first needed, then kept.

    They hold distinct values of the database, so they stay where it is: in `<database>.values`,
    or in the user's cache folder where that cannot be written.

    Attributes:
        database: The database.
        embedder: What makes the vectors.
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
        table = find_table(self.database, table)
        column = find_column(self.database, table, column).name
        key = IndexKey(self.database.fingerprint(), table, column, self.embedder.name)
        with self._lock:
            if key not in self._loaded:
                self._loaded[key] = self._stored(key) or self._built(key)
            return self._loaded[key]

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
    """The values of a column that are like a text in meaning or writing (EHR-ChatQA, A.2).

    Args:
        indexes: The database's indexes.
        table: The table, in any case.
        column: The column, in any case.
        value: What is looked for.
        k: How many values to return at most.
        floor: The score a value must reach; see `SimilarityIndex.search`.
        expand: Gives other names of what is looked for, as a drug's generic name for its brand.

    Raises:
        QueryError: If there is no such table or column.
    """
    also = list(expand(value)) if expand else []
    return indexes.of(table, column).search(value, k, floor, also)


def build_indexes(indexes: ValueIndexes, columns: Iterable[tuple[str, str]]) -> dict[str, int]:
    """Build or load the indexes of the columns in advance.

    Returns:
        The number of distinct values of each, by `table.column`.
    """
    return {f"{table}.{column}": len(indexes.of(table, column).values) for table, column in columns}


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
