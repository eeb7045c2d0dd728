"""A small database, and the benchmark opened on it."""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from wardround.benchmarks.chatqa.benchmark import ChatBenchmark
from wardround.benchmarks.chatqa.declaration import ChatOptions
from wardround.models.roles import RoleModels
from wardround.runs.settings import RunSettings

REPOSITORY = Path(__file__).resolve().parents[3]
SHARED = REPOSITORY / ".." / "shared"

Opener = Callable[..., ChatBenchmark]
_OWN = set(ChatOptions.model_fields)


@pytest.fixture
def small_database(tmp_path: Path) -> Path:
    """Drug orders of three patients."""
    path = tmp_path / "small.sqlite"
    with sqlite3.connect(path) as connection:
        connection.executescript(
            """
            CREATE TABLE orders (patient INTEGER NOT NULL, drug TEXT NOT NULL, started TEXT);
            INSERT INTO orders VALUES
              (1, 'metoprolol tartrate', '2100-02-01 08:00:00'),
              (2, 'metoprolol tartrate', '2100-03-01 08:00:00'),
              (2, 'warfarin', '2100-03-02 08:00:00'),
              (3, 'furosemide', '2100-04-01 08:00:00');
            """
        )
    connection.close()
    return path


@pytest.fixture
def open_chat(small_database: Path) -> Iterator[Opener]:
    """Opens EHR-ChatQA on the small database, with optional settings."""
    opened: list[ChatBenchmark] = []

    def open_it(models: RoleModels | None = None, **settings: object) -> ChatBenchmark:
        chosen = RunSettings.model_validate(
            {
                "benchmark": "chatqa",
                "agent": "oracle",
                "databases": {"small": str(small_database)},
                "options": {name: settings.pop(name) for name in _OWN & settings.keys()},
                **settings,
            }
        )
        opened.append(ChatBenchmark.open(chosen.opening(models or RoleModels({}))))
        return opened[-1]

    yield open_it
    for benchmark in opened:
        benchmark.close()
