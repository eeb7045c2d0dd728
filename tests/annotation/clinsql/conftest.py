"""A store of one whole item on a small hospital, and a clock that counts."""

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.benchmarks.clinsql.item_samples import GOLD, write_item
from tests.hospitals import small_hospital
from wardround.annotation.clinsql.store import ItemStore, open_store

ITEM = "Vital_Signs_Monitoring/easy/001"


def counting() -> Callable[[], str]:
    numbers = count(1)
    return lambda: f"moment {next(numbers)}"


@pytest.fixture(scope="session")
def hospital(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_hospital(tmp_path_factory)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_item(tmp_path)
    return tmp_path


@pytest.fixture
def store(folder: Path, hospital: Path) -> Iterator[ItemStore]:
    opened = open_store(folder, str(hospital), counting())
    yield opened
    opened.close()


@pytest.fixture
def new_item(store: ItemStore) -> str:
    return store.create("Laboratory_Results_Analysis", "medium", "Ada")


def annotated(store: ItemStore, id: str) -> None:
    """Lets Ada, Ben and Cem do their steps."""

    def put(field: str, text: str, person: str) -> None:
        store.save(id, field, text, store.item(id, person).fields[field].version, person)

    put("question", "How many admissions did women aged 55 to 65 have?", "Ada")
    store.finish(id, "Ada")
    put("sql", GOLD, "Ben")
    put("mapping.tables", "patients\nadmissions", "Ben")
    put("mapping.columns", "gender\nanchor_age", "Ben")
    store.keep_result(id, "Ben")
    store.finish(id, "Ben")
    for field in ("sql_rubric", "results_rubric"):
        put(field, store.draft(id, field), "Cem")
    store.finish(id, "Cem")
