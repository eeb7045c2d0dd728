"""The current time of questions: the user's, else the file's, else the records' or the form's."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.apps.commands import Cli
from wardround.benchmarks.ehrsql.current_times import timed
from wardround.benchmarks.ehrsql.tasks import load_tasks
from wardround.core.current_time import CurrentTime
from wardround.ehr.database import Database, open_database

OWN, NAMED = "2080-01-01 00:00:00", "2090-01-01 00:00:00"
END = "2031-05-06 23:59:00"


@pytest.fixture
def ended(records: Path) -> Path:
    """The records, with one column of times, which end in 2031."""
    with closing(sqlite3.connect(records)) as connection:
        connection.executescript(
            "CREATE TABLE visits (at TIMESTAMP); INSERT INTO visits VALUES ('2031-05-06 07:08:09')"
        )
    return records


@pytest.fixture
def database(ended: Path) -> Iterator[Database]:
    with closing(open_database(str(ended))) as opened:
        yield opened


def test_the_users_time_goes_before_all(questions: Path, database: Database) -> None:
    suite, time = timed(load_tasks(questions), NAMED, database)
    assert time == CurrentTime(NAMED)
    assert {task.public.now for task in suite.tasks} == {NAMED}


def test_the_files_time_goes_before_the_records(questions: Path, database: Database) -> None:
    content = json.loads((questions / "data.json").read_text("utf-8"))
    content["data"][0]["current_time"] = OWN
    (questions / "data.json").write_text(json.dumps(content), encoding="utf-8")
    suite, time = timed(load_tasks(questions), None, database)
    assert time is not None
    assert time.time == END
    assert [task.public.now for task in suite.tasks] == [OWN] + [END] * (len(suite.tasks) - 1)
    content["current_time"] = OWN
    (questions / "data.json").write_text(json.dumps(content), encoding="utf-8")
    assert timed(load_tasks(questions), None, database) == (load_tasks(questions), None)


def test_a_time_from_the_records_is_printed_and_kept(
    cli: Cli, questions: Path, ended: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    ran = cli(
        *("run", "ehrsql", "--agent", "oracle", "--tasks", str(questions)),
        *("--database", f"ward={ended}", "--out", str(run)),
    )
    assert f"The current time for records is {END}: the records go to 2031-05-06" in ran.err
    [kept] = json.loads((run / "run.json").read_text("utf-8"))["current_times"].values()
    assert kept["time"] == END
    assert "2031-05-06 07:08:09" in kept["reason"]
