"""The hook that looks at the subject of a commit."""

import subprocess
import sys
from pathlib import Path

import pytest

HOOK = Path(__file__).parents[2] / "tools/commit_subject.py"


@pytest.mark.parametrize(
    ("message", "complaint"),
    [
        (f"{'x' * 72}\n\n{'a body may be longer ' * 9}; and have semicolons", ""),
        ("x" * 73, "73 characters"),
        ("Serve starts processes again; docs say so", "two thoughts"),
    ],
)
def test_the_subject_is_short_and_one_thought(tmp_path: Path, message: str, complaint: str) -> None:
    file = tmp_path / "message"
    file.write_text(message)
    ran = subprocess.run([sys.executable, HOOK, file], capture_output=True, text=True)
    assert ran.returncode == bool(complaint)
    assert complaint in ran.stderr
