"""A packed suite has its tasks and no records, and is checked where it arrives."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.apps.commands import Cli
from tests.hospitals import hospital_file
from wardround.core import plugins
from wardround.core.declared import benchmark_declaration
from wardround.runs.suite_package import CARD, DESCRIPTION

SITE = Path(__file__).parents[1] / "plugin" / "site"
TRIAGE = "triage_plugin.declaration:BENCHMARK"


@pytest.fixture
def tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(SITE))
    path = tmp_path / "tasks.json"
    path.write_text('{"stroke": "red", "cough": "green", "fall": "yellow"}')
    return path


def packed(cli: Cli, tasks: Path, *options: object) -> Path:
    to = tasks.parent / "package"
    own = options or ("--hospital", "mimic_iv_star,12,3")
    ran = cli("suite", "pack", TRIAGE, "--tasks", tasks, "--to", to, "--licence", "cc0-1.0", *own)
    assert ran.code == 0, ran.err
    return to


def test_a_suite_arrives_with_its_hospital(cli: Cli, tasks: Path, tmp_path: Path) -> None:
    package = packed(cli, tasks)
    assert 'license: "cc0-1.0"' in (package / CARD).read_text("utf-8")
    ran = cli("suite", "unpack", package, "--to", tmp_path / "here", "--benchmark", TRIAGE)
    assert ran.code == 0, ran.err
    assert "3 tasks, licence cc0-1.0" in ran.out
    assert (tmp_path / "here/tasks.json").read_bytes() == tasks.read_bytes()
    assert (tmp_path / "here/hospital.duckdb").exists()
    assert f"--tasks {tmp_path / 'here/tasks.json'}" in ran.out


def test_a_database_of_ones_own_stays_at_home(cli: Cli, tasks: Path) -> None:
    hospital = hospital_file("mimic_iv_star", 12, ending="sqlite")
    package = packed(cli, tasks, "--database", hospital)
    assert sorted(str(p.relative_to(package)) for p in package.rglob("*") if p.is_file()) == [
        *(CARD, "data/tasks.json", DESCRIPTION)
    ]
    description = json.loads((package / DESCRIPTION).read_text())
    assert description["fingerprint"]
    assert description["hospital"] is None
    assert "Golds may quote its records" in (package / CARD).read_text("utf-8")


def test_a_suite_about_the_benchmarks_own_records_names_no_database(
    cli: Cli, tasks: Path, tmp_path: Path
) -> None:
    package = tmp_path / "package"
    line = ("suite", "pack", TRIAGE, "--tasks", tasks, "--to", package, "--licence", "cc0-1.0")
    assert cli(*line).code == 0
    ran = cli("suite", "unpack", package, "--to", tmp_path / "here", "--benchmark", TRIAGE)
    assert "--database" not in ran.out


def test_a_hospital_of_tables_serves_no_benchmark_of_resources(cli: Cli, tmp_path: Path) -> None:
    declared = [benchmark_declaration(name) for name in plugins.names(plugins.BENCHMARKS)]
    name = next(each.name for each in declared if [x.name for x in each.layouts] == ["fhir_r4"])
    tasks = tmp_path / "tasks.json"
    tasks.write_text("[]")
    line = ("suite", "pack", name, "--tasks", tasks, "--to", tmp_path / "p", "--licence", "cc0-1.0")
    refused = cli(*line, "--hospital", "mimic_iv,12,3")
    assert refused.code == 2
    assert "runs on no tables, but on fhir_r4" in refused.err


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda p: (p / "data/tasks.json").write_text('{"stroke": "green"}'), "not those that"),
        (lambda p: (p / DESCRIPTION).write_text("{}"), "is not a packed suite"),
        (lambda p: (p / DESCRIPTION).unlink(), "is not a packed suite"),
    ],
    ids=["task", "description", "none"],
)
def test_a_changed_package_is_refused(
    cli: Cli, tasks: Path, tmp_path: Path, change: Callable[[Path], object], problem: str
) -> None:
    package = packed(cli, tasks)
    change(package)
    refused = cli("suite", "unpack", package, "--to", tmp_path / "here", "--benchmark", TRIAGE)
    assert refused.code == 2
    assert problem in refused.err
    assert not (tmp_path / "here").exists()


def test_a_package_names_nothing_outside_it(cli: Cli, tasks: Path, tmp_path: Path) -> None:
    package = packed(cli, tasks)
    description = json.loads((package / DESCRIPTION).read_text())
    (package / DESCRIPTION).write_text(json.dumps({**description, "tasks": "../tasks.json"}))
    refused = cli("suite", "unpack", package, "--to", tmp_path / "here", "--benchmark", TRIAGE)
    assert refused.code == 2
    assert "names tasks outside the package" in refused.err


def test_a_package_chooses_no_code_that_runs(cli: Cli, tasks: Path, tmp_path: Path) -> None:
    refused = cli("suite", "unpack", packed(cli, tasks), "--to", tmp_path / "here")
    assert refused.code == 2
    assert f"is of the benchmark '{TRIAGE}', which is not installed" in refused.err
    assert not (tmp_path / "here").exists()


@pytest.mark.parametrize("kind", ["database", "link"])
def test_records_beside_the_tasks_are_not_packed(
    cli: Cli, tasks: Path, tmp_path: Path, kind: str
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    shutil.copyfile(tasks, folder / "tasks.json")
    if kind == "link":
        (folder / "ward.json").symlink_to(tasks)
    else:
        shutil.copyfile(hospital_file("mimic_iv_star", 12, ending="sqlite"), folder / "ward.json")
    to = tmp_path / "package"
    line = ("suite", "pack", TRIAGE, "--tasks", folder, "--to", to, "--licence", "cc0-1.0")
    refused = cli(*line, "--hospital", "mimic_iv_star,12,3")
    assert refused.code == 2
    assert "ward.json is " in refused.err
    assert not to.exists()


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--hospital", "mimic_iv,1,1", "--database", "ward.sqlite"), "not both"),
        (("--hospital", "mimic_iv_star"), "LAYOUT,PATIENTS,SEED"),
        (("--hospital", "clinic,12,3"), "No hospital is made in 'clinic'"),
    ],
)
def test_wrong_options_are_a_sentence(
    cli: Cli, tasks: Path, options: tuple[str, ...], problem: str
) -> None:
    line = ("suite", "pack", TRIAGE, "--tasks", tasks, "--to", tasks.parent / "p")
    refused = cli(*line, "--licence", "cc0-1.0", *options)
    assert refused.code == 2
    assert problem in refused.err
