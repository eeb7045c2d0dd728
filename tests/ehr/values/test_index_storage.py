"""Storage of similarity indexes."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from wardround.ehr.values.search import IndexKey, read_arrays, write_arrays

_KEY = IndexKey("f00d", "orders", "drug", "counting")
_ARRAYS: dict[str, NDArray[Any]] = {
    "vectors": np.arange(12, dtype=np.float32).reshape(3, 4),
    "nothing": np.empty((0, 7), dtype=np.uint32),
    "values": np.frombuffer(b'["a"]', dtype=np.uint8),
}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("indexes") / "folder" / "drug.index"
    write_arrays(path, _KEY, _ARRAYS)
    return path


def test_arrays_are_memory_mapped_without_leftover_files(written: Path) -> None:
    arrays = read_arrays(written, _KEY)
    assert arrays is not None
    for name, array in _ARRAYS.items():
        assert arrays[name].dtype == array.dtype
        assert np.array_equal(arrays[name], array)
    assert isinstance(arrays["vectors"], np.memmap)
    assert [path.name for path in written.parent.iterdir()] == ["drug.index"]


@pytest.mark.parametrize(
    "key",
    [
        IndexKey("beef", "orders", "drug", "counting"),
        IndexKey("f00d", "lab", "drug", "counting"),
        IndexKey("f00d", "orders", "dose", "counting"),
        IndexKey("f00d", "orders", "drug", "other"),
    ],
)
def test_index_with_another_key_counts_as_missing(written: Path, key: IndexKey) -> None:
    assert read_arrays(written, key) is None


def test_missing_and_empty_files_count_as_missing(tmp_path: Path) -> None:
    assert read_arrays(tmp_path / "none.index", _KEY) is None
    (tmp_path / "empty.index").touch()
    assert read_arrays(tmp_path / "empty.index", _KEY) is None


@given(st.data())
def test_damaged_index_counts_as_missing(written: Path, data: st.DataObject) -> None:
    content = bytearray(written.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    if data.draw(st.booleans()):
        content[place] ^= 0xFF
    else:
        del content[place:]
    damaged = written.with_name("damaged")
    damaged.write_bytes(content)
    read = read_arrays(damaged, _KEY)
    damaged.unlink()
    assert read is None
