"""Commands whose output nobody reads to its end still write their files."""

import os
import subprocess
import sys
from pathlib import Path

SITE = Path(__file__).parents[1] / "plugin" / "site"
TRIAGE = "triage_plugin.declaration:BENCHMARK"


def _with_closed_output(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing) as output:
        return subprocess.run(
            [sys.executable, "-m", "wardround", *arguments],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(SITE)},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
            check=False,
        )


def test_files_are_written_before_anything_is_printed(tmp_path: Path) -> None:
    run = ["run", TRIAGE, "--agent", "oracle", "--limit", "1", "--out", "run"]
    for arguments, page in (
        ([*run, "--html", "ran.html"], "ran.html"),
        (["report", "run", "--html", "reported.html"], "reported.html"),
    ):
        ended = _with_closed_output(tmp_path, *arguments)
        assert ended.returncode == 1
        assert "Traceback" not in ended.stderr
        assert (tmp_path / page).read_text().rstrip().endswith("</html>")
