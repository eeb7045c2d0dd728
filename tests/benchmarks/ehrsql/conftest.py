"""A small database with questions in both published forms, and paths of the published data."""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.agents.parser.conftest import lessons, trained, training, ward

__all__ = ["lessons", "trained", "training", "ward"]

REPOSITORY = Path(__file__).resolve().parents[3]
SHARED = REPOSITORY / ".." / "shared" / "data"

LABELS = {
    "count": "SELECT COUNT(*) FROM orders",
    "drugs": "SELECT DISTINCT drug FROM orders",
    "recent": "SELECT COUNT(*) FROM orders "
    "WHERE strftime('%Y', started) = strftime('%Y', current_time)",
    "pulse": "SELECT COUNT(*) FROM pulses WHERE rate BETWEEN heart_rate_lower AND heart_rate_upper",
    "plan": "null",
    "why": "null",
}


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """Drug orders and pulses of three patients."""
    path = tmp_path / "records.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript(
        """
        CREATE TABLE orders (patient INTEGER NOT NULL, drug TEXT NOT NULL, started TEXT);
        INSERT INTO orders VALUES
          (1, 'metoprolol', '2099-02-01 08:00:00'),
          (2, 'metoprolol', '2100-03-01 08:00:00'),
          (3, 'warfarin', '2100-03-02 08:00:00');
        CREATE TABLE pulses (patient INTEGER NOT NULL, rate REAL);
        INSERT INTO pulses VALUES (1, 59.5), (1, 60), (2, 100), (3, 101);
        """
    )
    connection.close()
    return path


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    """A folder of EHRSQL 2024 on these records."""
    folder = tmp_path / "questions"
    folder.mkdir()
    write_2024(folder, LABELS)
    return folder


@pytest.fixture
def predictions(tmp_path: Path) -> Callable[[object], Path]:
    """Writes a file of predictions from JSON values or text."""

    def write(content: object) -> Path:
        path = tmp_path / "predictions.json"
        text = content if isinstance(content, str) else json.dumps(content)
        path.write_text(text, encoding="utf-8")
        return path

    return write


def write_2024(folder: Path, labels: dict[str, str]) -> None:
    """Writes questions and labels in the form of EHRSQL 2024."""
    data = [{"id": id, "question": f"the question {id}?"} for id in labels]
    content = {"version": "test", "data": data}
    (folder / "data.json").write_text(json.dumps(content), encoding="utf-8")
    (folder / "label.json").write_text(json.dumps(labels), encoding="utf-8")
