"""`tasks make chatqa`: files of tasks that pass their own grading."""

import json
from pathlib import Path

import pytest

from tests.apps.commands import Cli
from tests.authoring.chatqa.conftest import HOSPITALS
from tests.ehr.records.six_tables import build_six_tables
from tests.hospitals import hospital_file

COUNTS = ("--incre", "2", "--adapt", "4")


@pytest.mark.parametrize(("layout", "ending"), HOSPITALS.items())
def test_made_tasks_pass_with_their_gold(
    cli: Cli, tmp_path: Path, layout: str, ending: str
) -> None:
    database, tasks = hospital_file(layout, 80, seed=5, ending=ending), tmp_path / "tasks.jsonl"
    made = cli("tasks", "make", "chatqa", "--database", database, "--to", tasks, *COUNTS)
    assert made.code == 0, made.err
    entries = [json.loads(line) for line in tasks.read_text("utf-8").splitlines()]
    assert [entry["task_type"] for entry in entries].count("incre") == 2
    for entry in entries:
        said = entry["instruction"].lower()
        assert "select" not in said
        texts = [str(row[0]).lower() for row in entry["gold_answer"] if isinstance(row[0], str)]
        assert not any(f" {text} " in said for text in texts if text.isalpha() and len(text) > 5)
    ran = cli(
        *("run", "chatqa", "--tasks", tasks, "--database", f"{layout}={database}"),
        *("--agent", "oracle", "--out", tmp_path / "run"),
    )
    assert ran.code == 0, ran.err
    assert f"{len(entries)} trials done, 100.0% passed" in ran.err


def test_the_same_seed_makes_the_same_file(cli: Cli, tmp_path: Path) -> None:
    database = hospital_file("mimic_iv_star", 80, seed=5, ending="sqlite")
    files = [tmp_path / name for name in ("a.jsonl", "b.jsonl", "c.jsonl")]
    for file, seed in zip(files, ("1", "1", "2"), strict=True):
        line = ("--database", database, "--to", file, "--incre", "1", "--adapt", "2")
        assert cli("tasks", "make", "chatqa", *line, "--seed", seed).code == 0
    first, again, other = (file.read_bytes() for file in files)
    assert first == again != other


def test_a_file_that_exists_is_kept(cli: Cli, tmp_path: Path) -> None:
    database, tasks = hospital_file("mimic_iv_star", 80, seed=5, ending="sqlite"), tmp_path / "t"
    tasks.write_text("mine")
    made = cli("tasks", "make", "chatqa", "--database", database, "--to", tasks)
    assert made.code == 2
    assert "exists already" in made.err
    assert tasks.read_text() == "mine"


def test_tasks_are_made_of_tables_of_ones_own(cli: Cli, tmp_path: Path) -> None:
    database, map, tasks = (tmp_path / name for name in ("six.duckdb", "six.toml", "t.jsonl"))
    build_six_tables(database)
    assert cli("data", "map", database, "--to", map).code == 0
    line = ("--database", database, "--map", map, "--to", tasks, "--incre", "2", "--adapt", "2")
    made = cli("tasks", "make", "chatqa", *line)
    assert made.code == 0, made.err
    validated = cli(
        *("tasks", "validate", "chatqa", "--tasks", tasks, "--database", f"six={database}")
    )
    assert validated.code == 0, validated.err
    assert len(tasks.read_text("utf-8").splitlines()) == 4
