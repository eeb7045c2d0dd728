"""The command line on a user's own tasks: run, resume, score, trace, report, errors."""

import json
import signal
import sqlite3
import subprocess
import sys
from dataclasses import replace
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests.apps.commands import Cli, Ran
from tests.cases import for_each, one_in
from tests.ehr.database.engines import ENGINES, made_database, needs
from wardround.apps.command_line.choices import chosen_settings
from wardround.core.errors import UserError
from wardround.core.record import Outcome
from wardround.core.run_reader import read_trials
from wardround.core.run_writer import RunWriter
from wardround.runs.replay import Replayed
from wardround.runs.settings import RunSettings
from wardround.runs.validation import count_passing_golds, validate_tasks

TASKS = [
    {
        "task_id": str(number),
        "task_type": "incre",
        "db_id": "ward",
        "instruction": "Your goal is to count beds. Specifically, you want to know how many beds "
        f"there are on floor {number}.",
        "gold_sql": f"SELECT COUNT(*) FROM beds WHERE floor = {number}",
        "gold_answer": [[number]],
    }
    for number in (1, 2, 3)
]


@pytest.fixture
def ward(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a database and a task file; commands run in it."""
    monkeypatch.chdir(tmp_path)
    with sqlite3.connect("ward.sqlite") as connection:
        connection.execute("CREATE TABLE beds (floor INTEGER)")
        connection.executemany("INSERT INTO beds VALUES (?)", [(1,), (2,), (2,), (3,), (3,), (3,)])
    connection.close()
    Path("tasks.json").write_text(json.dumps(TASKS))
    return tmp_path


SUITE = files("wardround.benchmarks.chatqa.suite") / "chatqa-regression.jsonl"
ON_WARD = ("chatqa", "--tasks", "tasks.json", "--database", "ward=ward.sqlite")


def figures(out: str) -> dict[str, Any]:
    """The first row of the paper's Table 3 in the output of `--json`."""
    row: dict[str, Any] = json.loads(out)["tables"]["table_3"]["rows"][0]
    return row


def test_run_prints_tables_and_stores_trials(cli: Cli, ward: Path) -> None:
    ran = cli("run", *ON_WARD, "--agent", "oracle", "--trials", 2, "--out", "r")
    assert ran.code == 0
    assert "Pass^2" in ran.out
    assert "100.0%" in ran.err
    lines = (ward / "r" / "trials.jsonl").read_text().splitlines()
    assert len(lines) == 6
    described = json.loads((ward / "r" / "run.json").read_text())
    assert described["settings"]["trials"] == 2
    assert described["tasks"]["count"] == 3
    assert set(described["databases"]) == {"ward"}


def test_json_gives_the_figures_of_the_table_under_the_same_names(cli: Cli, ward: Path) -> None:
    cli("run", *ON_WARD, "--agent", "oracle", "--trials", 2, "--out", "r")
    row = figures(cli("report", "r", "--json").out)
    table = cli("report", "r").out
    for name, figure in {"SR-2": 100.0, "Pass^2": 100.0, "Gap-2": 0.0}.items():
        assert row[name] == figure
        assert name in table


def test_compared_runs_are_labelled_by_differing_settings(cli: Cli, ward: Path) -> None:
    cli("run", *ON_WARD, "--agent", "oracle", "--out", "all")
    cli("run", *ON_WARD, "--agent", "oracle", "--seed", 7, "--out", "again")
    cli("run", *ON_WARD, "--agent", "oracle", "--limit", 1, "--out", "one")
    same = json.loads(cli("compare", "all", "again", "--json").out)["tables"]["compared"]
    assert {(row["Run"], row["seed"], row["SR-1"]) for row in same["rows"]} == {
        ("all", "0", 100.0),
        ("again", "7", 100.0),
    }
    assert "different tasks" not in same.get("note", "")
    output = cli("compare", "all", "one").out
    assert "different tasks (3, 1), of which they share 1" in " ".join(output.split())


def test_compared_runs_are_tested_in_pairs(cli: Cli, ward: Path) -> None:
    cli("run", *ON_WARD, "--agent", "oracle", "--out", "all")
    cli("run", *ON_WARD, "--agent", "parser", "--seed", 7, "--out", "other")
    paired = json.loads(cli("compare", "all", "other", "--json").out)["tables"]["paired"]
    [row] = paired["rows"]
    assert (row["Run"], row["Base"], row["Tasks"]) == ("other", "all", 3)
    assert row["Difference"] == round(row["Success"] - row["Base success"], 1)
    assert row["Test"] == "McNemar, exact"
    assert 0 < row["p"] <= 1
    assert "The runs also differ in seed," in paired["note"]


def test_resume_runs_exactly_the_missing_trials(cli: Cli, ward: Path) -> None:
    cli("run", *ON_WARD, "--agent", "oracle", "--trials", 2, "--out", "r")
    path = ward / "r" / "trials.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:2]) + lines[2][:40])
    ran = cli("resume", "r")
    assert "4 trials to run in r, 2 done before" in ran.err
    after = [json.loads(line) for line in path.read_text().splitlines()]
    keys = [(trial["task"], trial["trial"]) for trial in after]
    assert sorted(keys) == sorted({(f"ward-incre-{t}", n) for t in (1, 2, 3) for n in (0, 1)})
    assert "0 trials to run" in cli("resume", "r").err


def test_the_same_seed_gives_the_same_trials_in_one_process_and_in_two(
    cli: Cli, ward: Path
) -> None:
    for name, processes in (("one", 1), ("two", 2)):
        cli("run", *ON_WARD, "--agent", "oracle", "--out", name, "--processes", processes)

    def said(name: str) -> dict[str, list[dict[str, Any]]]:
        found = {}
        for line in (ward / name / "trials.jsonl").read_text().splitlines():
            trial = json.loads(line)
            place = trial["trajectory"]
            content = (ward / name / "trajectories.jsonl").read_bytes()
            happened = content[place["offset"] : place["offset"] + place["length"]]
            found[trial["task"]] = json.loads(happened)["events"]
        return found

    assert said("one") == said("two")
    assert len(said("one")) == 3


def test_judge_grades_a_stored_run_again(cli: Cli, ward: Path) -> None:
    cli("run", *ON_WARD, "--agent", "oracle", "--out", "r")
    run = ward / "r"
    first, *others = read_trials(run)
    failed = replace(first, outcome=Outcome.FAILED, scores={"paper": 0.0, "strict": 0.0})
    with RunWriter(run) as writer:
        writer.rewrite_trials([failed, *others])
    ran = cli("score", "r", "--json")
    assert "3 trials scored again, 1 changed" in ran.err
    assert figures(ran.out)["SR-1"] == 100.0
    assert "0 changed" in cli("score", "r").err


def test_trial_is_traced_and_replayed(cli: Cli, ward: Path) -> None:
    cli("run", *ON_WARD, "--agent", "oracle", "--out", "r")
    output = cli("trace", "r", "ward-incre-2").out
    assert "sql_execute" in output
    assert "SELECT COUNT(*) FROM beds WHERE floor = 2" in output
    assert cli("replay", "r", "ward-incre-2:0").out.startswith("1 of 1 results are the same")
    with sqlite3.connect("ward.sqlite") as connection:
        connection.execute("INSERT INTO beds VALUES (1)")
        connection.execute("UPDATE beds SET floor = 2 WHERE rowid = 1")
    connection.close()
    Path("tasks.json").write_text(json.dumps([{**TASKS[1], "gold_answer": [[3]]}]))
    ran = cli("replay", "r", "ward-incre-2:0")
    assert ran.code == 1
    assert "they differ" in ran.out


def test_replay_names_trials_that_can_be_replayed(
    cli: Cli, ward: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("run", *ON_WARD, "--agent", "oracle", "--out", "r")
    ran = cli("replay", "r")
    assert ran.code == 2
    assert "have tool results to replay; name one of them, such as ward-incre-1:0" in ran.out
    assert "it has trials such as ward-incre-1:0" in cli("replay", "r", "another").err
    # A trajectory with messages only has no tool results to compare.
    monkeypatch.setattr("wardround.runs.replay.replay_trial", lambda *_: Replayed(0, 0, ()))
    assert "no tool result to compare" in cli("replay", "r", "ward-incre-2").out


def test_report_is_a_single_file_and_is_not_overwritten(cli: Cli, ward: Path) -> None:
    cli("run", *ON_WARD, "--agent", "oracle", "--out", "r", "--html", "first.html")
    page = (ward / "first.html").read_text()
    assert page.lower().startswith("<!doctype html>")
    assert "ward-incre-2" in page
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert cli("report", "r", "--html", "again.html").code == 0
    assert (ward / "again.html").read_text() == page
    ran = cli("report", "r", "--html", "first.html")
    assert ran.code == 2
    assert "first.html already exists" in ran.err


@pytest.mark.parametrize("engine", [pytest.param(name, marks=needs(name)) for name in ENGINES])
def test_run_works_on_every_engine(cli: Cli, ward: Path, engine: str) -> None:
    beds = ["CREATE TABLE beds (floor INTEGER)", "INSERT INTO beds VALUES (1), (2), (2), (3)"]
    with made_database(engine, ward, [*beds, "INSERT INTO beds VALUES (3), (3)"]) as place:
        ran = cli(
            *("run", "chatqa", "--tasks", "tasks.json", "--database", f"ward={place}"),
            *("--agent", "oracle", "--out", "r"),
        )
        assert ran.code == 0, ran.err
        assert figures(cli("report", "r", "--json").out)["SR-1"] == 100.0
        assert cli("score", "r").code == 0


def test_password_is_not_stored_in_a_run(cli: Cli, ward: Path) -> None:
    place = "ward=postgresql://reader:hidden@127.0.0.1:1/ward"
    ran = cli("run", "chatqa", "--tasks", "tasks.json", "--database", place, "--out", "r")
    assert ran.code == 2
    assert "refused" in ran.err
    assert "hidden" not in ran.err
    assert not (ward / "r").exists()


def test_validation_names_the_failing_gold(cli: Cli, ward: Path) -> None:
    assert cli("tasks", "validate", *ON_WARD).code == 0
    wrong = [{**TASKS[1], "task_id": f"x{gold}", "gold_answer": [[gold]]} for gold in (7, 9)]
    broken = {**TASKS[0], "task_id": "broken", "gold_sql": "SELECT nowhere"}
    Path("tasks.json").write_text(json.dumps([TASKS[0], wrong[0], broken, wrong[1]]))
    ran = cli("tasks", "validate", *ON_WARD)
    rejected = "its gold does not pass the paper and strict grader on this database"
    assert ran.code == 1
    assert ran.err.splitlines() == [
        f"{rejected} (2):",
        "  ward-incre-x7: want 7, got 2",
        "  ward-incre-x9: want 9, got 2",
        "its gold query fails (1):",
        "  ward-incre-broken: No such column: nowhere.",
    ]
    causes = json.loads(cli("tasks", "validate", *ON_WARD, "--json").out)["tables"]["causes"]
    assert causes["rows"] == [
        {"cause": rejected, "tasks": 2},
        {"cause": "its gold query fails", "tasks": 1},
    ]


def test_broken_task_is_reported_and_the_others_run(cli: Cli, ward: Path) -> None:
    Path("tasks.json").write_text("\n".join([json.dumps(TASKS[0]), "{broken"]))
    ran = cli("run", *ON_WARD, "--agent", "oracle", "--out", "r")
    assert ran.code == 0
    assert "Left out " in ran.err
    assert "tasks.json, line 2: not valid JSON" in ran.err
    assert len((ward / "r" / "trials.jsonl").read_text().splitlines()) == 1


WRONG = [
    ("run nothing", "no 'nothing' for run; installed are: "),
    ("run no.module:Class", "cannot be imported"),
    ("run chatqa --database missing.sqlite", "missing.sqlite does not exist"),
    ("run chatqa --database empty.sqlite", "empty.sqlite is empty"),
    ("run chatqa --database tasks.json", "tasks.json is of a kind that no installed engine"),
    ("run chatqa --database ward.sqlite", "give the database the name that its tasks use"),
    (
        "run chatqa --database ward=half.sqlite --tasks half.json",
        "reads the table full, which is empty",
    ),
    ("run chatqa --tasks nowhere.json", "nowhere.json does not exist"),
    ("run chatqa --database ward=ward.sqlite", "name tasks for your database with --tasks"),
    ("run chatqa --tasks shipped.jsonl --database ward=ward.sqlite", "mimic_iv_star=FILE"),
    ("resume . --trials 3", "No such option: --trials"),
    ("run chatqa --mode c", "means nothing in chatqa"),
    ("run --mode c chatqa", "means nothing in chatqa"),
    ("run chatqa --nonsense c", "No such option: --nonsense"),
    ("run --limit 1", "No NAME is given; name one of assist"),
    ("run --trials 2 chatqq", "Did you mean 'chatqa'"),
    ("rum chatqa", "Did you mean 'run'"),
    ("ON_WARD --task ward-incre-9", "tasks.json has the id 'ward-incre-9'"),
    ("ON_WARD --grading kind", "no grading 'kind'; --grading takes one of: paper, strict"),
    ("score chatqa", "chatqa cannot score a file of predictions; only "),
    ("tasks paraphrase chatqa", "no 'chatqa' for paraphrase; installed are: "),
    ("ON_WARD --agent oracle --current-time now", "'now' is not a time"),
    ("ON_WARD --agent oracle --html tasks.json", "tasks.json already exists"),
    ("ON_WARD --role-model agent=openai:gpt-4o", "OPENAI_API_KEY"),
    ("ON_WARD --agent nobody", "no agent named 'nobody'; installed are:"),
    ("ON_WARD --agent no.module:here", "cannot be imported"),
    ("ON_WARD --agent tools", "needs a language model; name one with --model"),
    ("ON_WARD --model nonsense:x", "nonsense"),
    ("ON_WARD --model openai:x,warmth=1", "setting 'warmth' is wrong"),
    ("ON_WARD --model openai:gpt-4o", "OPENAI_API_KEY"),
    ("ON_WARD --base-url http://127.0.0.1:9/v1", "--base-url needs --model"),
    ("ON_WARD --role-model nurse=openai:x", "--role-model 'nurse=openai:x' is not ROLE="),
    ("ON_WARD --role-model user=openai:x,warmth=1", "setting 'warmth' is wrong"),
    ("ON_WARD --agent oracle --user model", "user has no language model"),
    (
        "ON_WARD --agent oracle --user ghost",
        "'--user': Value error, 'ghost' is not one of 'script', 'model'",
    ),
    ("ON_WARD --agent oracle --user baseline", "'baseline' is not one of 'script', 'model'"),
    ("ON_WARD --agent oracle --web-search altavista", "no search named 'altavista'"),
    ("ON_WARD --agent oracle --embedder none", "no embedder 'none'"),
    ("ON_WARD --agent oracle --out .", "already holds files"),
    ("ON_WARD --agent oracle --out . --force", "files that do not belong to a run"),
    ("ON_WARD --agent oracle --replay gone.jsonl", "gone.jsonl cannot be read"),
    ("resume .", "no run.json"),
    ("resume . --retry sometimes", "'sometimes' is not an outcome"),
    ("report .", "no run.json"),
    ("score .", "no run.json"),
    ("trace . t", "no run.json"),
    ("replay . t", "no run.json"),
    ("tasks validate chatqa --tasks nowhere.json", "nowhere.json does not exist"),
]


@pytest.fixture
def faulty_files(ward: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with databases and tasks that do not fit each other, and no key."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (ward / "empty.sqlite").touch()
    half = {**TASKS[0], "gold_sql": "SELECT x FROM full"}
    (ward / "half.json").write_text(json.dumps(half))
    (ward / "shipped.jsonl").write_text(json.dumps({**TASKS[0], "db_id": "mimic_iv_star"}))
    with sqlite3.connect("half.sqlite") as connection:
        connection.executescript("CREATE TABLE full (x); CREATE TABLE of (x);")
    connection.close()
    return ward


@for_each(one_in(3, WRONG))
def test_errors_are_one_sentence(
    line: str, complaint: str, *, cli: Cli, faulty_files: Path
) -> None:
    ran = cli(*line.replace("ON_WARD", "run " + " ".join(ON_WARD)).split())
    assert ran.code == 2
    assert complaint in ran.err
    assert "Traceback" not in ran.err
    assert len([line for line in ran.err.splitlines() if line.startswith("Error: ")]) == 1
    assert not (faulty_files / "runs").exists(), "a run that did not start left something"


def test_resume_refuses_changed_tasks(cli: Cli, ward: Path) -> None:
    cli("run", *ON_WARD, "--agent", "oracle", "--out", "r")
    Path("tasks.json").write_text(json.dumps(TASKS[:2]))
    ran = cli("resume", "r")
    assert ran.code == 2
    assert "The tasks of r have changed" in ran.err


def test_files_with_patient_values_are_private(cli: Cli, ward: Path) -> None:
    cli("run", *ON_WARD, "--agent", "oracle", "--out", "r", "--cache", "answers.sqlite")
    assert (ward / "r").stat().st_mode & 0o077 == 0


def test_resume_works_from_another_folder(
    cli: Cli, ward: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("run", *ON_WARD, "--agent", "oracle", "--out", "r")
    (ward / "elsewhere").mkdir()
    monkeypatch.chdir(ward / "elsewhere")
    assert "0 trials to run" in cli("resume", "../r").err


def test_verbose_logs_ids_and_counts(ward: Path) -> None:
    command = [sys.executable, "-m", "wardround", "--verbose", "run", *ON_WARD]
    ran = subprocess.run(
        [*command, "--agent", "oracle", "--out", "r"], capture_output=True, text=True, check=True
    )
    assert "task ward-incre-2, trial 0: passed after" in ran.stderr
    assert "floor" not in ran.stderr


def test_damaged_end_is_said_without_verbose(cli: Cli, ward: Path) -> None:
    cli("run", *ON_WARD, "--agent", "oracle", "--out", "r")
    with (ward / "r" / "trials.jsonl").open("ab") as file:
        file.write(b"\0\0\0\n")
    command = [sys.executable, "-m", "wardround", "report", "r"]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ran.stderr == "r/trials.jsonl ends in 4 damaged bytes, which are passed over.\n"
    assert "3 of 3 tasks were right" in ran.stdout


def test_missing_task_keeps_its_score_and_is_reported(cli: Cli, ward: Path) -> None:
    cli("run", *ON_WARD, "--agent", "oracle", "--out", "r")
    Path("tasks.json").write_text(json.dumps(TASKS[:2]))
    errors = cli("score", "r").err
    assert "2 trials scored again, 0 changed" in errors
    assert "ward-incre-3:0 kept its score" in errors


def test_force_replaces_only_run_folders(cli: Cli, ward: Path) -> None:
    for _ in range(2):
        ran = cli("run", *ON_WARD, "--agent", "oracle", "--out", "r", "--force")
        assert ran.code == 0
    assert len((ward / "r" / "trials.jsonl").read_text().splitlines()) == 3


@pytest.fixture
def counted(cli: Cli, ward: Path, monkeypatch: pytest.MonkeyPatch) -> Ran:
    """A run `r` of an agent named by module, which always counts the beds of floor 2."""
    Path("my_agent.py").write_text(
        "from wardround.core.actions import Call, Say\n"
        "class Counter:\n"
        "    async def act(self, observation):\n"
        "        if observation.source == 'tool':\n"
        "            return Say('There are 2 beds.')\n"
        "        return Call('sql_execute', {'query': 'SELECT COUNT(*) FROM beds WHERE floor=2'})\n"
        "def open_agents(model):\n"
        "    return lambda briefing, context: Counter()\n"
    )
    monkeypatch.setattr(sys, "path", [folder for folder in sys.path if folder])
    return cli("run", *ON_WARD, "--agent", "my_agent:open_agents", "--out", "r", "--json")


def test_agent_can_be_named_by_module_and_function(counted: Ran) -> None:
    assert figures(counted.out)["SR-1"] == pytest.approx(33.3, abs=0.1)


DIFFERENCE = ["want 1 row: (3)", "got 1 row: (2)", "missing: (3)", "unexpected: (2)"]


def test_trace_of_a_failed_trial_begins_with_its_gold(cli: Cli, counted: Ran) -> None:
    blocks = cli("trace", "r", "ward-incre-3").out.split("\n\n")
    assert blocks[0].startswith("ward-incre-3:0 failed")
    assert blocks[1].splitlines() == [
        *("request:", f"    {TASKS[2]['instruction']}"),
        *("gold:", "    SELECT COUNT(*) FROM beds WHERE floor = 3"),
        *("nearest attempt:", "    SELECT COUNT(*) FROM beds WHERE floor=2"),
        *("difference:", *(f"    {line}" for line in DIFFERENCE)),
    ]
    assert "sql_execute" in blocks[2]
    assert "gold:" not in cli("trace", "r", "ward-incre-2").out


def test_page_explains_failed_trials_only_with_text(cli: Cli, ward: Path, counted: Ran) -> None:
    whole, figures_only = ward / "whole.html", ward / "figures.html"
    assert cli("report", "r", "--html", whole.name).err == "Report: whole.html\n"
    page = whole.read_text()
    assert page.count("<dt>gold</dt>") == 2
    for text in (*(line[:9] for line in DIFFERENCE), f"<pre>{TASKS[2]['instruction']}</pre>"):
        assert text in page
    cli("report", "r", "--html", figures_only.name, "--without-text")
    page = figures_only.read_text()
    assert "ward-incre-3" in page
    assert not [text for text in ("<dt>gold</dt>", "want 1", "how many beds") if text in page]


def test_whole_report_prints_tables_that_are_left_out_otherwise(cli: Cli, counted: Ran) -> None:
    short, whole = cli("report", "r").out, cli("report", "r", "--whole").out
    assert "1 of 3 tasks was right" in short
    assert "1 of 3 tasks was right" in whole
    assert "Add --whole." in short
    assert "Add --whole." not in whole
    assert len(whole) > len(short)


def test_trace_without_tasks_says_so_and_shows_the_events(cli: Cli, counted: Ran) -> None:
    Path("tasks.json").unlink()
    ran = cli("trace", "r", "ward-incre-3")
    assert ran.code == 0
    assert ran.err.startswith("Trials are shown without their golds: ")
    assert "tasks.json does not exist" in ran.err
    assert ran.err.count("\n") == 1
    assert "sql_execute" in ran.out
    assert not cli("trace", "r", "ward-incre-2").err


def test_changed_verdict_is_named_and_costs_no_explanation(
    cli: Cli, ward: Path, counted: Ran
) -> None:
    path = ward / "r" / "verdicts.jsonl"
    path.write_text(path.read_text().replace("\n", "\n{}\n", 1))
    for command in (["report", "r"], ["report", "r", "--html", "r.html"]):
        ran = cli(*command)
        assert ran.code == 0
        assert "Changed: verdicts.jsonl, line 2, was changed" in ran.out
    assert "Changed: verdicts.jsonl, line 2, was changed" in Path("r.html").read_text()
    assert (ran := cli("trace", "r", "ward-incre-3")).code == 0
    assert not ran.err


def test_forged_trials_do_not_count_and_are_repeated(cli: Cli, ward: Path) -> None:
    cli("run", *ON_WARD, "--agent", "oracle", "--out", "r")
    cli("run", *ON_WARD, "--agent", "oracle", "--out", "other")
    path = ward / "r" / "trials.jsonl"
    honest = path.read_text()
    changed = f"Changed: {json.loads(honest.splitlines()[0])['task']}:0"
    path.write_text(honest.replace('"seed":', '"seed":1', 1))
    ran = cli("report", "r")
    assert "2 of 2 tasks were right" in ran.out
    assert f"{changed}: trials.jsonl, line 1, was changed" in ran.out
    assert "Unfinished: 2 of 3 trials are over" in ran.out
    assert "trials.jsonl, line 1, was changed" in cli("report", "r", "--json").err
    assert f"r: {changed}" in " ".join(cli("compare", "r", "other").out.split())
    ran = cli("score", "r")
    assert ran.code == 2
    assert "wardround resume r" in ran.err
    ran = cli("resume", "r")
    assert ran.code == 0
    assert f"{changed}: trials.jsonl, line 1" in ran.err
    assert "Changed" not in ran.out
    ran = cli("report", "r")
    assert "3 of 3 tasks were right" in ran.out
    assert "Changed" not in ran.out
    assert (ward / "r" / "trials.jsonl.damaged").is_file()


def test_run_of_another_key_is_shown_as_not_verified_and_scored_only_if_trusted(
    cli: Cli, ward: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("run", *ON_WARD, "--agent", "oracle", "--out", "r")
    monkeypatch.setenv("WARDROUND_RUN_KEY", str(ward / "another.key"))
    ran = cli("report", "r")
    assert "Not verified: " in ran.out
    assert "3 of 3 tasks were right" in ran.out
    commands = (["score", "r"], ["resume", "r"], ["judge", "r", "--verdicts", "program"])
    for command in commands:
        ran = cli(*command)
        assert ran.code == 2
        assert "--trust" in ran.err
    for command in commands:
        assert cli(*command, "--trust").code == 0
    assert "Not verified: " in cli("report", "r").out


# Runs the command line; after 50 trials the process sends itself the signal in its first argument.
# A shell starts background jobs with Ctrl-C ignored, and their processes inherit that.
SIGNALLED = """
import os, signal, sys
from wardround.apps.command_line import main
from wardround.core.run_writer import RunWriter

number, add, added = int(sys.argv.pop(1)), RunWriter.add_trial, []
def add_and_signal(writer, record):
    add(writer, record)
    added.append(record)
    if len(added) == 50:
        os.kill(os.getpid(), number)
RunWriter.add_trial = add_and_signal
signal.signal(signal.SIGINT, signal.default_int_handler)
main()
"""


def signalled(number: signal.Signals, trials: int) -> subprocess.CompletedProcess[str]:
    """A run of many trials that got a signal after 50 of them."""
    words = ["run", *ON_WARD, "--agent", "oracle", "--trials", str(trials), "--out", "r"]
    command = [sys.executable, "-c", SIGNALLED, str(int(number)), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def test_killed_run_resumes_with_every_trial_once(ward: Path) -> None:
    assert signalled(signal.SIGKILL, 40).returncode == -signal.SIGKILL
    path = ward / "r" / "trials.jsonl"
    assert path.read_bytes().count(b"\n") == 50
    subprocess.run(
        [sys.executable, "-m", "wardround", "resume", "r"], check=True, capture_output=True
    )
    trials = [json.loads(line) for line in path.read_text().splitlines()]
    assert len({(t["task"], t["trial"]) for t in trials}) == len(trials) == 120


def test_interrupted_run_prints_how_to_resume(ward: Path) -> None:
    ran = signalled(signal.SIGINT, 40)
    assert ran.returncode == 130
    assert "wardround resume r" in ran.stderr
    assert "Traceback" not in ran.stderr
    assert 50 <= (ward / "r" / "trials.jsonl").read_bytes().count(b"\n") < 120


def test_help_answers_without_heavy_imports() -> None:
    program = (
        "import sys\n"
        "from wardround.apps.command_line import main\n"
        "sys.argv = ['wardround', '--help']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = {'pydantic', 'pydantic_ai', 'numpy', 'openai', 'jinja2', 'matplotlib'}\n"
        "print('HEAVY', sorted(heavy & set(sys.modules)))\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "HEAVY []" in ran.stdout, ran.stderr


def shipped_tasks(path: Path, count: int, wrong: int) -> None:
    """A file of shipped tasks, the first of them with a wrong gold."""
    suite = SUITE.read_text(encoding="utf-8").splitlines()
    tasks = [json.loads(line) for line in suite if json.loads(line)["task_type"] == "incre"]
    for task in tasks[:wrong]:
        task["gold_answer"] = [["nothing of the kind"]]
    path.write_text("\n".join(map(json.dumps, tasks[:count])))


@pytest.mark.parametrize(("wrong", "share"), [(0, "3 of 3 of its golds, 100%"), (2, "1 of 3")])
def test_own_tasks_on_the_default_database_cause_a_warning(
    cli: Cli, ward: Path, wrong: int, share: str
) -> None:
    shipped_tasks(ward / "own.jsonl", 3, wrong)
    ran = cli("run", "chatqa", "--tasks", "own.jsonl", "--agent", "oracle", "--out", "own")
    assert f"{share}" in ran.err
    assert "hold on the database that comes with wardround" in ran.err
    assert "of its golds" not in cli("run", *ON_WARD, "--agent", "oracle", "--out", "r").err


def test_at_most_twenty_golds_are_checked_chosen_by_seed(ward: Path) -> None:
    shipped_tasks(ward / "own.jsonl", 26, 13)
    tried = [
        count_passing_golds(
            RunSettings(benchmark="chatqa", agent="oracle", tasks=ward / "own.jsonl", seed=seed)
        )
        for seed in (0, 0, 1)
    ]
    assert {count for _, count in tried} == {20}
    assert tried[0] == tried[1]
    assert len({passed for passed, _ in tried}) > 1


def test_golds_are_checked_without_the_models_of_the_run(ward: Path) -> None:
    shipped_tasks(ward / "own.jsonl", 3, 0)
    models = {role: {"name": "openai:never-asked"} for role in ("agent", "user", "classifier")}
    settings = RunSettings.model_validate(
        {
            "benchmark": "chatqa",
            "agent": "tools",
            "tasks": ward / "own.jsonl",
            "models": models,
            "options": {"user": "model"},
        }
    )
    assert count_passing_golds(settings) == (3, 3)
    assert validate_tasks(settings).defects == ()


def test_settings_behind_the_name_of_the_shared_model() -> None:
    typed = {"agent": "oracle", "user": "model", "model": "openai:x,timeout=90,max_tokens=7"}
    models = chosen_settings("chatqa", typed).models
    assert len(models) > 1
    assert {(model.name, model.timeout, model.max_tokens) for model in models.values()} == {
        ("openai:x", 90, 7)
    }


@for_each([("report", (0, 0)), *product(["report", "resume"], [(33.3, 0), (33.4, 1)])])
def test_too_few_right_tasks_fail_where_a_percentage_is_asked_for(
    command: str, limit: tuple[float, int], *, cli: Cli, counted: Ran
) -> None:
    under, code = limit
    ran = cli(command, "r", "--fail-under", under)
    assert ran.code == code
    assert ("33.3% of tasks were right, which is under --fail-under" in ran.err) == bool(code)


def test_run_takes_the_percentage_too(cli: Cli, ward: Path) -> None:
    ran = cli("run", *ON_WARD, "--agent", "oracle", "--out", "r", "--fail-under", 100)
    assert ran.code == 0
    assert cli("run", *ON_WARD, "--out", "s", "--fail-under", 101).code == 2


def test_changed_or_unfinished_run_fails_where_a_percentage_is_asked_for(
    cli: Cli, ward: Path
) -> None:
    cli("run", *ON_WARD, "--agent", "oracle", "--out", "r")
    assert cli("report", "r", "--fail-under", 100).code == 0
    path = ward / "r" / "trials.jsonl"
    path.write_text(path.read_text().replace('"seed":', '"seed":1', 1))
    ran = cli("report", "r", "--fail-under", 0)
    assert ran.code == 1
    assert "--fail-under fails" in ran.err
    assert cli("report", "r").code == 0


def test_agent_that_never_starts_ends_the_run_with_a_reason(cli: Cli, ward: Path) -> None:
    ran = cli("run", *ON_WARD, "--agent", "exec:false", "--out", "r", "--unconfined")
    assert ran.code == 1
    assert "The agent never acted (3 of 3 trials ended as failed" in ran.err


def test_an_empty_key_is_a_missing_key(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "")
    words = ("--agent", "tools", "--model", "openai:gpt-4o-mini", "--limit", 1)
    ran = cli("run", "chatqa", *words, "--out", tmp_path / "r")
    assert ran.code == 2
    assert "needs a key: set the environment variable OPENAI_API_KEY" in ran.err


def test_ids_that_trace_shows_select_tasks(cli: Cli, ward: Path) -> None:
    chosen = ("--task", "ward-incre-2:0", "--agent", "oracle", "--out", "r")
    assert cli("run", *ON_WARD, *chosen).code == 0
    [trial] = [json.loads(line) for line in Path("r", "trials.jsonl").read_text().splitlines()]
    assert trial["task"] == "ward-incre-2"
    assert cli("trace", "r", "ward-incre-2:0").code == 0


def test_doctor_says_what_runs_on_a_schema_of_ones_own(cli: Cli, ward: Path) -> None:
    ran = cli("doctor", "ward.sqlite")
    assert ran.code == 0
    assert "not served" not in ran.out
    lines = ran.out.splitlines()
    place = lines.index("chatqa: tasks of your own run")
    assert "--tasks" in lines[place + 1]
    assert "tasks that it ships or makes, it runs on mimic_iv_star" in lines[place + 2]
    assert "clinsql: needs another layout" in lines
    assert cli("run", *ON_WARD, "--agent", "oracle", "--out", "r").code == 0


def test_a_price_of_ones_own_is_that_of_every_role_with_the_model() -> None:
    own = {"model": "openai:small", "base_url": "http://localhost:1", "price": ["openai:small=2,8"]}
    models = chosen_settings("chatqa", own).models
    assert {(m.input_price, m.output_price) for m in models.values()} == {(2.0, 8.0)}


@pytest.mark.parametrize(
    ("price", "complaint"),
    [
        ("openai:small", "is not PROVIDER:NAME=INPUT,OUTPUT"),
        ("openai:small=2", "is not PROVIDER:NAME=INPUT,OUTPUT"),
        ("openai:other=2,8", "is for no model in use; these are: openai:small"),
        ("openai:small=-2,8", "'input_price' is wrong"),
        ("openai:small=2,dear", "'output_price' is wrong"),
    ],
)
def test_wrong_prices_are_refused(price: str, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        chosen_settings("chatqa", {"model": "openai:small", "price": [price]})


def test_a_report_repeats_the_caveat_of_its_agent(cli: Cli, ward: Path) -> None:
    for agent, holds in (("parser", True), ("oracle", False)):
        ran = cli("run", *ON_WARD, "--agent", agent, "--out", agent, "--html", f"{agent}.html")
        page = (ward / f"{agent}.html").read_text(encoding="utf-8")
        assert ("works by rules that were written with other tasks" in ran.out) is holds
        assert ("works by rules that were written with other tasks" in page) is holds
