"""Users' names for things, searched in the renamed MIMIC-IV demo if present."""

import gzip
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cases import one_in
from wardround.ehr.database import open_database
from wardround.ehr.values import (
    ValueIndexes,
    build_indexes,
    preindexed_columns,
    similarity_search,
)

_PACKED = Path(__file__).resolve().parents[3] / "../shared/data/ehrsql-2024/mimic_iv_star.sqlite.gz"
_CASES = [
    line.split(" | ")
    for line in (Path(__file__).parent / "real_names.txt").read_text().splitlines()
    if not line.startswith("#")
]
pytestmark = pytest.mark.skipif(
    not _PACKED.exists(), reason="no demo database: its real names are not searched"
)


@pytest.fixture(scope="module")
def indexes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ValueIndexes]:
    path = tmp_path_factory.mktemp("demo") / "mimic_iv_star.sqlite"
    with gzip.open(_PACKED) as packed, path.open("wb") as unpacked:
        shutil.copyfileobj(packed, unpacked)
    database = open_database(path)
    yield ValueIndexes(database)
    database.close()


@pytest.mark.parametrize(("column", "said", "called", "first"), one_in(3, _CASES))
def test_name_is_found(
    indexes: ValueIndexes, column: str, said: str, called: str, first: str
) -> None:
    table, name = column.split(".")
    matches = similarity_search(indexes, table, name, said)
    assert called in [match.value for match in matches][: int(first)]


@pytest.mark.parametrize("said", ["qwerty zzz", "the weather in paris", "favourite football team"])
def test_unrelated_text_matches_no_diagnosis(indexes: ValueIndexes, said: str) -> None:
    assert similarity_search(indexes, "diagnosiscodes", "description", said) == []


def test_preindexed_columns_exist(indexes: ValueIndexes) -> None:
    columns = preindexed_columns("mimic_iv_star")
    build_indexes(indexes, columns)
    assert len(columns) == 11
    assert all(indexes.of(*column).values for column in columns)
