"""Files that wardround writes are private to their owner; existing ones keep their mode."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

SITE = Path(__file__).parents[1] / "plugin" / "site"
TRIAGE = "triage_plugin.declaration:BENCHMARK"


def wardround(folder: Path, *words: object) -> None:
    """Runs a command in a folder with a umask that lets others read."""
    homes = {"XDG_CACHE_HOME": f"{folder}/cache", "PYTHONPATH": str(SITE)}
    command = [sys.executable, "-m", "wardround", *map(str, words)]
    subprocess.run(
        command, cwd=folder, env=os.environ | homes, umask=0o022, check=True, capture_output=True
    )


def open_to_others(folder: Path) -> Iterator[str]:
    """The files and folders within a folder that others may read."""
    for path in folder.rglob("*"):
        if path.stat().st_mode & 0o077:
            yield path.relative_to(folder).as_posix()


def test_commands_write_private_files(tmp_path: Path) -> None:
    run = ("run", TRIAGE, "--agent", "oracle", "--limit", 1)
    wardround(tmp_path, *run, "--html", "reports/r.html", "--record", "r.jsonl", "--cache", "c")
    wardround(tmp_path, "report", *tmp_path.glob("runs/*"), "--plots", "plots")
    wardround(tmp_path, "data", "hospital", "--patients", 1, "--to", "new/ward.sqlite")
    assert (tmp_path / "new" / "ward.sqlite").exists()
    assert (tmp_path / "reports" / "r.html").exists()
    assert list(open_to_others(tmp_path)) == []


def test_existing_files_keep_their_mode(tmp_path: Path) -> None:
    shared, run = tmp_path / "shared", tmp_path / "run"
    for folder in (shared, run):
        folder.mkdir()
        folder.chmod(0o755)
    for name in ("ward.sqlite", "r.html"):
        (shared / name).touch()
        (shared / name).chmod(0o640)
    words = ("run", TRIAGE, "--agent", "oracle", "--limit", 1, "--out", run, "--force")
    wardround(tmp_path, *words, "--html", shared / "r.html")
    hospital = ("data", "hospital", "--patients", 1, "--to", shared / "ward.sqlite", "--force")
    wardround(tmp_path, *hospital)
    modes = {path: path.stat().st_mode & 0o777 for path in (shared, run, *shared.iterdir())}
    assert modes == {
        shared: 0o755,
        run: 0o755,
        shared / "ward.sqlite": 0o640,
        shared / "r.html": 0o640,
    }
    assert {path.stat().st_mode & 0o777 for path in run.iterdir()} == {0o600}
