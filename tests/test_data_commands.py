"""README's commands on records, from the files of a release to a checked database."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from tests.apps.commands import Cli
from tests.hospitals import hospital_file
from wardround.ehr.schema import load_schema, quoted

ROOT = Path(__file__).resolve().parents[1]
DEMO = ROOT.parent / "shared/data/mimic-iv-demo"
COMMAND = (sys.executable, "-c", "from wardround.apps.command_line.main import main; main()")


def readme_commands() -> Iterator[list[str]]:
    """The commands of README's section on records."""
    section = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Your data")[2]
    block = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)[0]
    for line in block.splitlines():
        yield shlex.split(line)


def write_release(folder: Path) -> None:
    """A release of MIMIC-IV with made-up patients, as the files that are published."""
    with duckdb.connect(hospital_file("mimic_iv", 8, seed=3), read_only=True) as official:
        for table in load_schema("mimic_iv").tables:
            path = folder / table.module / f"{table.name}.csv.gz"
            path.parent.mkdir(parents=True, exist_ok=True)
            official.execute(f"COPY {quoted(table.name)} TO '{path}' (HEADER, COMPRESSION gzip)")


def wardround(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Runs a command in a folder, with the umask of most systems and a cache of its own."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}
    return subprocess.run(
        [*COMMAND, *arguments],
        cwd=folder,
        env=environment,
        umask=0o022,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """The folder in which README's commands were run, and what each printed."""
    folder = tmp_path_factory.mktemp("records")
    write_release(folder / "mimic-iv-3.1")
    printed = []
    for program, *arguments in readme_commands():
        assert program == "wardround"
        done = wardround(folder, *arguments)
        assert done.returncode == 0, done.stdout + done.stderr
        assert not done.stderr
        printed.append(done.stdout)
    return folder, printed


def test_the_commands_of_the_readme_make_a_sound_database(made: tuple[Path, list[str]]) -> None:
    checked = made[1][-1]
    assert "Schema: mimic_iv_star" in checked
    assert ": served" in checked
    assert "degraded" not in checked
    assert "Current time: 2100-12-31 23:59:00" in checked
    assert "Later than now" not in checked


def test_prepare_prints_a_line_for_each_step_and_a_total(made: tuple[Path, list[str]]) -> None:
    lines = made[1][1].splitlines()
    steps = [line.partition(":")[0] for line in lines]
    assert len(lines) <= 14
    assert steps == [
        *("read", "ages", "sample", "read", "vitals", "millilitres", "lower", "units", "shift"),
        *("now", "shuffle", "cost", "write", "total"),
    ]
    written, total = (re.search(r"(\d+) tables,? ([\d,]+) rows", line) for line in lines[-2:])
    assert written
    assert total
    assert written.groups() == total.groups()


def test_another_time_is_named_by_rename_and_doctor(
    made: tuple[Path, list[str]], cli: Cli, tmp_path: Path
) -> None:
    prepared, renamed_copy = tmp_path / "later.sqlite", tmp_path / "x.db"
    later = ["--layout", "ehrsql_mimic_iv_star", "--now", "2105-12-31T23:59:00"]
    cli("data", "prepare", made[0] / "mimic4.duckdb", *later, "--to", prepared)
    before = cli("doctor", prepared)
    assert '--now "2100-12-31 23:59:00", then rename it' in " ".join(before.out.split())
    renamed = cli("data", "rename", "mimic_iv_star", prepared, "--to", renamed_copy)
    assert renamed.code == 0
    assert '--now "2100-12-31 23:59:00"' in renamed.err
    after = cli("doctor", renamed_copy)
    assert after.code == 1
    findings = [line for line in after.out.splitlines() if "later than" in line.lower()]
    assert findings
    assert len(findings) == len(set(findings))
    assert all(line.startswith("Later than now: ") for line in findings)


def test_the_commands_make_private_files(made: tuple[Path, list[str]]) -> None:
    folder, _ = made
    (folder / "star.sqlite").chmod(0o644)
    shutil.copy(folder / "star.sqlite", folder / "kept.sqlite")
    release = folder / "mimic-iv-3.1"
    own = {path for path in folder.rglob("*") if release not in (path, *path.parents)}
    own -= {folder / "star.sqlite", folder / "kept.sqlite"}
    assert {"mimic4.duckdb", "ehrsql4.sqlite"} <= {path.name for path in own}
    for path in own:
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path


@pytest.mark.skipif(
    not DEMO.exists(), reason="no published demo: the README's commands are not run on it"
)
def test_the_commands_of_the_readme_work_on_the_demo(tmp_path: Path) -> None:
    (tmp_path / "mimic-iv-3.1").symlink_to(DEMO)
    *commands, check = (arguments for _, *arguments in readme_commands())
    for arguments in commands:
        done = wardround(tmp_path, *arguments)
        assert done.returncode == 0, done.stdout + done.stderr
        assert not done.stderr
    checked = wardround(tmp_path, *check)
    # A copy of the demo may lack tables.
    assert "Schema: mimic_iv_star" in checked.stdout
    assert "Later than now" not in checked.stdout
