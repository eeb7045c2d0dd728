"""ClinSQL through the command line, on a small hospital."""

from pathlib import Path

import orjson
import pytest

from tests.apps.commands import Cli
from tests.benchmarks.clinsql.item_samples import GOLD, write_item
from wardround.benchmarks.clinsql import execution
from wardround.benchmarks.clinsql.execution import Execution, Executions
from wardround.benchmarks.clinsql.record_database import query_checker
from wardround.ehr.database import Database
from wardround.ehr.database.googlesql.strictness import analyser


def test_the_oracle_passes_without_a_judge(cli: Cli, tmp_path: Path, hospital: Path) -> None:
    write_item(tmp_path / "items" / "test")
    out = tmp_path / "run"
    options = ("--tasks", tmp_path / "items", "--database", hospital, "--agent", "oracle")
    ran = cli("run", "clinsql", *options, "--out", out, "--json")
    rows = orjson.loads(ran.out)["tables"]["scores"]["rows"]
    shown = {
        row["Bound"]: (row["all SQL"], row["all Exec"])
        for row in rows
        if row["Grading"] == "strict"
    }
    assert shown == {"lower": (100.0, 100.0), "upper": (100.0, 100.0)}
    assert "would scan" not in ran.err  # reading a file is free
    notes = orjson.loads(ran.out)["tables"]["verdicts"]["note"]
    assert "The database is not MIMIC-IV 3.1" in notes
    described = orjson.loads((out / "run.json").read_bytes())
    assert described["versions"]["query check"] == (analyser.version() or "wardround")


def test_the_checker_of_queries_is_named(
    monkeypatch: pytest.MonkeyPatch, records: Database
) -> None:
    monkeypatch.setattr(analyser, "version", lambda: "")
    assert query_checker(records) == "wardround"
    monkeypatch.setattr(analyser, "version", lambda: "GoogleSQL's analyser 1")
    assert query_checker(records) == "GoogleSQL's analyser 1"


def test_validation_reports_faults_of_published_golds_and_ends_well(
    cli: Cli, tmp_path: Path, hospital: Path
) -> None:
    write_item(tmp_path, result="admissions,mean_los_days\n2000,4.5\n")
    ran = cli("tasks", "validate", "clinsql", "--tasks", tmp_path, "--database", hospital, "--json")
    assert ran.code == 0
    [known] = orjson.loads(ran.out)["tables"]["known_defects"]["rows"]
    assert known["reason"].startswith("its gold result lies outside its own band")


def test_validation_of_a_made_suite_fails_on_a_fault_of_its_gold(
    cli: Cli, tmp_path: Path, hospital: Path
) -> None:
    path = write_item(tmp_path, result="admissions,mean_los_days\n2000,4.5\n")
    check = {"kind": "in_range", "column": {"names": ["admissions"]}, "low": 1, "high": 9}
    added = {"anchor": 1, "checks": {"results:plausible": check}}
    (path / "item.json").write_bytes(orjson.dumps(added))
    ran = cli("tasks", "validate", "clinsql", "--tasks", tmp_path, "--database", hospital)
    assert ran.code == 1
    assert "its gold result lies outside its own band (1):" in ran.err


def test_checks_are_written_for_review(cli: Cli, tmp_path: Path) -> None:
    write_item(tmp_path / "items")
    file = tmp_path / "checks.json"
    ran = cli("tasks", "check", "clinsql", "--tasks", tmp_path / "items", "--to", file, "--json")
    assert ran.code == 0
    rows = orjson.loads(ran.out)["tables"]["coverage"]["rows"]
    assert {(row["Tree"], row["Check"]): row["Leaves"] for row in rows} == {
        ("sql", "sex"): 1,
        ("sql", "age"): 1,
        ("results", "file_exists"): 1,
        ("results", "column"): 1,
        ("results", "in_range"): 1,
    }
    [checks] = orjson.loads(file.read_bytes()).values()
    assert checks["sql:sex"]["check"] == {"kind": "sex", "value": "F"}


def test_a_judge_elsewhere_needs_leave_to_see_data(
    cli: Cli, tmp_path: Path, hospital: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    write_item(tmp_path / "items")
    options = ("--tasks", tmp_path / "items", "--database", hospital, "--agent", "oracle")
    ran = cli("run", "clinsql", *options, "--role-model", "judge=openai:gpt-4o-mini")
    assert ran.code == 2
    assert "allow it with --judge-sees-data" in ran.err


def test_options_choose_tasks(cli: Cli, tmp_path: Path, hospital: Path) -> None:
    write_item(tmp_path / "items")
    options = ("--tasks", tmp_path / "items", "--database", hospital, "--agent", "oracle")
    ran = cli("run", "clinsql", *options, "--level", "hard")
    assert ran.code == 2
    assert "has no item of level hard" in ran.err
    assert GOLD not in ran.err


RUN = ("run", "clinsql", "--agent", "oracle")


@pytest.mark.parametrize("command", [RUN, ("tasks", "make", "clinsql")])
def test_a_database_without_patients_is_refused(
    cli: Cli, tmp_path: Path, command: tuple[str, ...]
) -> None:
    import duckdb

    place = tmp_path / "pets.duckdb"
    with duckdb.connect(str(place)) as made:
        made.execute("CREATE TABLE pets (id INTEGER)")
    more = ("--to", tmp_path / "made") if "make" in command else ()
    named = place if "make" in command else f"mimic_iv={place}"
    ran = cli(*command, "--database", named, *more)
    assert ran.code == 2
    assert f"Database {place} has no table patients; name one in MIMIC-IV's layout" in ran.err


def test_items_are_not_made_into_a_file(cli: Cli, tmp_path: Path, hospital: Path) -> None:
    (tmp_path / "made").write_text("")
    ran = cli("tasks", "make", "clinsql", "--database", hospital, "--to", tmp_path / "made")
    assert "is a file; name a folder with --to" in ran.err


QUERIES = {
    "two statements": "SELECT 1 AS admissions; SELECT 2",
    "a write": "DELETE FROM mimiciv_hosp.patients WHERE TRUE",
    "too many rows": "SELECT 1 AS admissions FROM UNNEST(GENERATE_ARRAY(1, 101))",
    "many columns": f"SELECT {', '.join(f'COUNT(*) AS c{n}' for n in range(300))} "
    "FROM mimiciv_hosp.patients",
}


def test_queries_that_give_no_usable_result_never_pass(
    cli: Cli, tmp_path: Path, hospital: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wardround.benchmarks.clinsql.execution.MOST_ROWS", 100)
    for number, sql in enumerate(QUERIES.values(), start=1):
        write_item(tmp_path / "items", f"Vital_Signs_Monitoring/easy/{number:03}", sql=sql)
    options = ("--tasks", tmp_path / "items", "--database", hospital)
    ran = cli(*RUN, *options, "--no-cohort-hospitals", "--out", tmp_path / "run", "--json")
    assert ran.code == 0
    lines = (tmp_path / "run" / "trials.jsonl").read_text().splitlines()
    trials = {trial["task"][-1]: trial for trial in map(orjson.loads, lines)}
    assert {trial["scores"]["strict"] for trial in trials.values()} == {0.0}
    reasons = {number: trial["reason"] for number, trial in sorted(trials.items())}
    assert reasons == {
        "1": "the query fails (syntax)",
        "2": "the query fails (denied)",
        "3": "the query fails (limit)",
        "4": "5 leaves failed",
    }


NEVER_ENDS = "SELECT COUNT(*) AS admissions FROM {} WHERE a.anchor_age + h.anchor_age > 3".format(
    ", ".join(f"`physionet-data.mimiciv_3_1_hosp.patients` AS {alias}" for alias in "abcdefgh")
)


def test_a_gold_that_never_ends_is_stopped_once(
    cli: Cli, tmp_path: Path, hospital: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []
    run = Executions._run

    def counted(self: Executions, sql: str) -> Execution:
        ran.append(sql)
        return run(self, sql)

    monkeypatch.setattr(Executions, "_run", counted)
    write_item(tmp_path, sql=NEVER_ENDS)
    options = ("--tasks", tmp_path, "--database", hospital, "--statement-seconds", 0.3)
    checked = cli("tasks", "validate", "clinsql", *options)
    assert checked.code == 1
    assert "its gold is stopped after 0.3 s" in checked.err
    assert ran.count(NEVER_ENDS) == 1


def test_many_golds_are_validated_while_the_database_is_open(
    cli: Cli, tmp_path: Path, hospital: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A cache of one result stands for a suite with more golds than results are kept.
    monkeypatch.setattr(execution, "_KEPT", 1)
    for number in range(1, 5):
        write_item(tmp_path / "splits" / "test", f"Vital_Signs_Monitoring/easy/{number:03}")
    checked = cli("tasks", "validate", "clinsql", "--tasks", tmp_path, "--database", hospital)
    assert checked.code == 0, checked.err
    assert "is closed" not in checked.out + checked.err
