"""Substring and similarity search over a small drug and diagnosis table."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from wardround.core.errors import UserError
from wardround.core.installed_packages import EntryPoint
from wardround.ehr.database import Database, QueryError, open_database
from wardround.ehr.values import (
    SimilarityIndex,
    ValueIndexes,
    WordLlamaEmbedder,
    build_indexes,
    find_embedder,
    preindexed_columns,
    similarity_search,
    substring_search,
)
from wardround.ehr.values.lexical import Trigrams, comparable
from wardround.ehr.values.names import other_names

_DRUGS = ("metoprolol tartrate", "Metoprolol Succinate XL", "desmopressin", "acetaminophen", "5% x")


def _fill(path: Path, drugs: tuple[str, ...]) -> None:
    connection = sqlite3.connect(path)
    connection.execute("create table if not exists orders (drug text, dose integer)")
    connection.executemany("insert into orders values (?, 5)", [(drug,) for drug in drugs])
    connection.commit()
    connection.close()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    _fill(tmp_path / "ward.sqlite", (*_DRUGS, "acetaminophen"))
    opened = open_database(tmp_path / "ward.sqlite")
    yield opened
    opened.close()


class Counting:
    """An embedder that counts its input texts."""

    def __init__(self) -> None:
        self.name = "counting"
        self.texts = 0

    def encode(self, texts: list[str]) -> NDArray[np.float32]:
        """Unit vectors that encode the length of a text."""
        self.texts += len(texts)
        angles = np.array([len(text) / 100 for text in texts], dtype=np.float32)
        return np.stack([np.cos(angles), np.sin(angles)], axis=1)


@pytest.mark.integration
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("METOPROLOL", ["Metoprolol Succinate XL", "metoprolol tartrate"]),
        ("%", ["5% x"]),
        ("_", []),
        ("~", []),
        ("'; drop table orders; --", []),
        ("", ["5% x", "Metoprolol Succinate XL", "acetaminophen"]),
    ],
)
def test_substring_matches_literally(database: Database, text: str, found: list[str]) -> None:
    assert substring_search(database, "Orders", "DRUG", text, 3) == found


@pytest.fixture(scope="module")
def signs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Database, list[str]]]:
    values = sorted(f"{a}{b}{c}" for a in "aB%" for b in "_~'" for c in "b%\\ ")
    path = tmp_path_factory.mktemp("signs") / "signs.sqlite"
    _fill(path, tuple(values))
    opened = open_database(path)
    yield opened, values
    opened.close()


@pytest.mark.integration
@given(st.text("aAbB%_~'\\ ", max_size=3))
def test_substring_search_agrees_with_python(signs: tuple[Database, list[str]], text: str) -> None:
    database, values = signs
    expected = [value for value in values if text.lower() in value.lower()]
    assert substring_search(database, "orders", "drug", text) == expected


@pytest.mark.integration
def test_numbers_are_searched_as_texts(database: Database) -> None:
    assert substring_search(database, "orders", "dose", "5") == ["5"]


@pytest.mark.integration
@pytest.mark.parametrize(("table", "column"), [("order", "drug"), ("orders", "name")])
def test_unknown_column_raises_a_query_error(database: Database, table: str, column: str) -> None:
    with pytest.raises(QueryError, match="drug" if table == "orders" else "orders"):
        substring_search(database, table, column, "x")
    with pytest.raises(QueryError, match="drug" if table == "orders" else "orders"):
        similarity_search(ValueIndexes(database), table, column, "x")


@pytest.mark.integration
def test_aliases_find_a_brand_first(database: Database) -> None:
    indexes = ValueIndexes(database)

    def expand(name: str) -> tuple[str, ...]:
        return {"lopressor": ("metoprolol tartrate", "metoprolol")}.get(name, ())

    plain = similarity_search(indexes, "orders", "drug", "lopressor", floor=0)
    assert plain[0].value == "desmopressin"
    matches = similarity_search(indexes, "orders", "drug", "lopressor", expand=expand)
    assert [match.value for match in matches[:2]] == list(_DRUGS[:2])
    assert matches[0].score == 1.0


@pytest.mark.integration
def test_matches_descend_to_the_floor(database: Database) -> None:
    index = ValueIndexes(database).of("orders", "drug")
    every = index.search("metoprolol", floor=0)
    scores = [match.score for match in every]
    assert scores == sorted(scores, reverse=True)
    assert index.search("metoprolol", 1, floor=0) == every[:1]
    assert index.search("metoprolol", floor=scores[1]) == every[:2]
    assert index.search("metoprolol", 0) == []


@pytest.mark.integration
@pytest.mark.parametrize("query", ["", " ", "\ud800", "\n", "日本", "x" * 5000])
def test_unusual_queries_do_not_fail(database: Database, query: str) -> None:
    assert ValueIndexes(database).of("orders", "drug").search(query, floor=0.9) == []


def test_column_without_values_has_no_matches() -> None:
    assert SimilarityIndex.build([], WordLlamaEmbedder()).search("x") == []


@pytest.mark.integration
def test_index_is_stored_next_to_the_database_and_rebuilt_after_changes(
    database: Database, tmp_path: Path
) -> None:
    first, later, changed = Counting(), Counting(), Counting()
    build_indexes(ValueIndexes(database, first), [("orders", "drug")])
    files = list((tmp_path / "ward.sqlite.values").iterdir())
    assert len(files) == 1

    build_indexes(ValueIndexes(database, later), [("orders", "drug")])
    loaded = ValueIndexes(database, later).of("orders", "drug")
    assert (first.texts, later.texts) == (5, 0)
    assert loaded.search("acetaminophen") == ValueIndexes(database, first).of(
        "orders", "drug"
    ).search("acetaminophen")

    _fill(tmp_path / "ward.sqlite", ("heparin",))
    assert "heparin" in ValueIndexes(database, changed).of("orders", "drug").values
    assert list((tmp_path / "ward.sqlite.values").iterdir()) == files


@pytest.mark.integration
def test_damaged_index_is_rebuilt(database: Database, tmp_path: Path) -> None:
    ValueIndexes(database, Counting()).of("orders", "drug")
    (index_file,) = (tmp_path / "ward.sqlite.values").iterdir()
    index_file.write_bytes(index_file.read_bytes()[:-20])
    again = Counting()
    assert len(ValueIndexes(database, again).of("orders", "drug").values) == 5
    assert again.texts == 5


@pytest.mark.integration
def test_index_of_a_read_only_folder_goes_to_the_cache(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    (tmp_path / "ward.sqlite.values").write_text("a file where the folder would be")
    ValueIndexes(database, Counting()).of("orders", "drug")
    again = Counting()
    ValueIndexes(database, again).of("orders", "drug")
    assert again.texts == 0
    assert len(list((tmp_path / "home").rglob("*.index"))) == 1


_WORDS = st.lists(st.text("abcé ", max_size=6), min_size=1, max_size=8)


@given(_WORDS, st.text("abcdé ", max_size=6))
def test_text_overlaps_most_with_itself(texts: list[str], query: str) -> None:
    def pieces(text: str) -> set[bytes]:
        padded = f" {comparable(text)} ".encode()
        return {padded[place : place + 3] for place in range(len(padded) - 2)}

    shared = Trigrams.build(texts).overlap(query, len(texts))
    assert [score > 0 for score in shared] == [bool(pieces(text) & pieces(query)) for text in texts]
    itself = Trigrams.build([*texts, query]).overlap(query, len(texts) + 1)
    assert itself[-1] == max(itself)


@pytest.mark.parametrize(
    ("query", "other"),
    [
        ("WBC", "white blood cells"),
        ("high blood pressure", "hypertension"),
        ("history of htn", "history of hypertension"),
        ("leukocytes, urine", "white blood cells, urine"),
    ],
)
def test_aliases_replace_names(query: str, other: str) -> None:
    assert other in other_names(query)


def test_aliases_ignore_names_inside_words() -> None:
    assert other_names("chronic") == []


def test_preindexed_columns_match_their_schemas() -> None:
    assert len(preindexed_columns("mimic_iv_star")) == 11
    assert len(preindexed_columns("eicu_star")) == 9
    assert preindexed_columns("mimic_iii") == []


def test_embedders_are_found_by_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("mine", f"{__name__}:Counting", "wardround.embedders")
    monkeypatch.setattr("wardround.core.plugins.installed", lambda group: [point])
    assert find_embedder("mine").name == "counting"
    with pytest.raises(UserError, match="mine"):
        find_embedder("yours")
