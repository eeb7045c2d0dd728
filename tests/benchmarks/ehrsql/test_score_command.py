"""`wardround score`: a file of predictions, or a run."""

import json
import sqlite3
from pathlib import Path

import pytest

from tests.apps.commands import Cli

LABELS = {
    "beds": "SELECT COUNT(*) FROM beds",
    "floors": "SELECT DISTINCT floor FROM beds",
    "plan": "null",
}


@pytest.fixture(autouse=True)
def _ward(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The working directory: a database, questions with labels, and answers."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    connection = sqlite3.connect("ward.sqlite")
    connection.executescript("CREATE TABLE beds (floor INTEGER); INSERT INTO beds VALUES (1), (2)")
    connection.close()
    Path("q").mkdir()
    data = [{"id": id, "question": "?"} for id in LABELS]
    Path("q/data.json").write_text(json.dumps({"data": data}))
    Path("q/label.json").write_text(json.dumps(LABELS))
    answers = {"beds": "SELECT 2", "floors": "SELECT 9", "plan": "null"}
    Path("p.json").write_text(json.dumps(answers))
    Path("sure.json").write_text(json.dumps({"beds": 0.9, "floors": 0.2, "plan": 0.5}))


FILES = ("--predictions", "p.json", "--labels", "q", "--database", "ward.sqlite")


def test_figures_are_at_the_top_of_the_json(cli: Cli) -> None:
    ran = cli("score", "ehrsql", *FILES, "--grading", "ehrsql-2024", "--penalty", "2", "--json")
    output = json.loads(ran.out)
    assert ran.code == 0
    assert (output["F1_ans"], output["P_exe"], output["R_exe"], output["F1_exe"]) == (
        100,
        50,
        50,
        50,
    )
    expected = {
        "RS(0)": 200 / 3,
        "RS(2)": 0.0,
        "RS(5)": -100.0,
        "RS(10)": -800 / 3,
        "RS(N)": -100 / 3,
    }
    assert {name: output[name] for name in expected} == pytest.approx(expected)


def test_text_output_has_tables_and_the_area(cli: Cli) -> None:
    ran = cli("score", "ehrsql", *FILES, "--grading", "strict", "--confidences", "sure.json")
    assert "F1_exe" in ran.out
    assert "Area under risk" in ran.out
    assert "unanswerable, refused" in ran.out
    assert ran.err == ""


def test_problems_are_printed_on_standard_error(cli: Cli) -> None:
    Path("p.json").write_text('{"beds": "SELEC", "plan": "null", "other": "SELECT 1"}')
    ran = cli("score", "ehrsql", *FILES, "--grading", "ehrsql-1.5")
    assert ran.code == 0
    assert ran.err.splitlines() == [
        "1 predictions for no question: other",
        "1 SQL that is wrong: beds",
        "1 no prediction: floors",
    ]


@pytest.mark.parametrize("seconds", ["0", "-1", "nan"])
def test_query_has_a_time_limit(cli: Cli, seconds: str) -> None:
    ran = cli("score", "ehrsql", *FILES, "--grading", "strict", "--statement-seconds", seconds)
    assert (ran.code, ran.out) == (2, "")
    assert "--statement-seconds" in ran.err


def test_non_text_answers_are_wrong_and_reported(cli: Cli) -> None:
    Path("p.json").write_text('{"beds": 3, "floors": ["SELECT 1"]}')
    ran = cli("score", "ehrsql", *FILES, "--grading", "strict", "--json")
    assert ran.code == 0
    assert json.loads(ran.out)["F1_exe"] == 0
    assert "2 prediction cannot be used: beds, floors" in ran.err.splitlines()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--grading", "strict", "--against", "none.json"), "none.json does not exist"),
        (("--grading", "strict", "--current-time", "tomorrow"), "not a time written as"),
        (("--grading", "strict", "--predictions", "q"), "q is a folder; name the predictions file"),
    ],
)
def test_error_is_one_sentence(cli: Cli, arguments: tuple[str, ...], message: str) -> None:
    ran = cli("score", "ehrsql", *FILES, *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("Error: ")
    assert message in ran.err


def test_score_scores_a_run_folder_again(cli: Cli) -> None:
    benchmark = "wardround.benchmarks.ehrsql.benchmark:EhrsqlBenchmark"
    on = ("--tasks", "q", "--database", "ward=ward.sqlite", "--agent", "oracle", "--out", "r")
    assert cli("run", benchmark, *on).code == 0
    for words in (("r",), ("--json", "r"), ("./r", "--json")):
        ran = cli("score", *words)
        assert ran.code == 0
        assert "3 trials scored again, 0 changed." in ran.err
    assert "ehrsql" in cli("score", "--help").out


def test_tasks_that_a_run_left_out_are_named(cli: Cli) -> None:
    Path("q/label.json").write_text(json.dumps(LABELS | {"floors": "SELECT missing FROM beds"}))
    on = ("--tasks", "q", "--database", "ward=ward.sqlite", "--agent", "oracle", "--out", "r")
    assert cli("run", "ehrsql", *on).code == 0
    left_out = "Left out floors: its gold query fails: No such column: missing."
    assert left_out in cli("score", "r").err.splitlines()
    files = ("--predictions", "r/predictions.json", *FILES[2:], "--grading", "strict")
    errors = cli("score", "ehrsql", *files).err.splitlines()
    assert "1 left out by the run: floors" in errors
    assert left_out in errors
