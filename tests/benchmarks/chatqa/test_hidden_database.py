"""No process of a run shows the URL of its database, in arguments or environment."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

import pytest

from tests.ehr.database.engines import made_database, needs

LINUX = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc here")

TASK = {
    "task_id": "1",
    "task_type": "incre",
    "db_id": "ward",
    "instruction": "Your goal is to count beds. Specifically, you want to know how many there are.",
    "gold_sql": "SELECT COUNT(*) FROM beds",
    "gold_answer": [[2]],
}


def descendants(parent: int) -> Iterator[Path]:
    """The folders in /proc of a process and of all that it has started."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text().rpartition(") ")[2]
        except OSError:
            continue
        parents[int(folder.name)] = int(stat.split()[1])
    family = {parent}
    while more := {child for child, of in parents.items() if of in family} - family:
        family |= more
    return (Path("/proc", str(each)) for each in family)


@LINUX
@needs("postgres")
@pytest.mark.parametrize("processes", ["1", "2"])
def test_no_process_of_a_run_shows_the_url_of_its_database(tmp_path: Path, processes: str) -> None:
    """The server is wardround's own, addressed by URL as a user's would be."""
    pytest.importorskip("psycopg")
    from wardround.ehr.database.postgres.connection import find_address

    statements = ["CREATE TABLE beds (floor integer)", "INSERT INTO beds VALUES (1), (2)"]
    with made_database("postgres", tmp_path, statements) as location:
        address = find_address(location)
        settings = address.settings
        secret, place = settings["password"], settings["host"].replace("/", "%2F")
        url = f"postgresql://{settings['user']}:{secret}@{place}/{settings['dbname']}"
        (tmp_path / "tasks.json").write_text(json.dumps([TASK]))
        command = (
            *(sys.executable, "-m", "wardround", "run", "chatqa", "--tasks", "tasks.json"),
            *("--database", f"ward={url}", "--agent", "oracle", "--trials", "6"),
            *("--processes", processes, "--out", "r"),
        )
        with (
            (tmp_path / "errors").open("w") as errors,
            subprocess.Popen(
                command,
                cwd=tmp_path,
                env={**os.environ, "PGPASSWORD": f"unused {secret}"},
                stdout=subprocess.DEVNULL,
                stderr=errors,
            ) as process,
        ):
            try:
                shown = list(shown_while_running(process, tmp_path / "r" / "run.json"))
            finally:
                process.kill()
        said = (tmp_path / "errors").read_text()
        address.leave()
    assert process.returncode == 0, said
    assert shown
    files = [file.read_text() for file in (tmp_path / "r").iterdir()]
    assert not any(secret in text for text in (said, *shown, *files))
    assert not any(place in text for text in shown)


def shown_while_running(process: "subprocess.Popen[bytes]", begun: Path) -> Iterator[str]:
    """The arguments and environments of a process and its descendants until it ends."""
    ends = monotonic() + 120
    while process.poll() is None and monotonic() < ends:
        for folder in descendants(process.pid) if begun.exists() else ():
            for name in ("cmdline", "environ"):
                with suppress(OSError):
                    yield (folder / name).read_text(errors="replace")
        sleep(0.05)
