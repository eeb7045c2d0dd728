"""The search for texts of the gold finds them where they are, and nowhere else."""

import os
from pathlib import Path

import pytest

from wardround.assessment.audit.hostile.agent import Hostile
from wardround.assessment.audit.hostile.answers import gold_in_files, gold_in_memory, shifted
from wardround.core.actions import Observation

GOLD = shifted("the gold of this test is 417 mg of nothing").encode("latin-1")


def unshifted() -> bytes:
    """The gold, which is written nowhere else."""
    return bytes((byte - 13) % 256 for byte in GOLD)


def targets(top: Path) -> dict[str, object]:
    return {"gold": [GOLD.decode("latin-1")], "top": str(top), "seconds": 5.0}


def test_a_file_with_the_gold_is_found(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text("nothing")
    assert gold_in_files(targets(tmp_path)) is None
    (tmp_path / "gold.sqlite").write_bytes(b"x" * 5_000_000 + unshifted())
    assert gold_in_files(targets(tmp_path)) == str(tmp_path / "gold.sqlite")


def test_the_gold_in_memory_is_found() -> None:
    held = unshifted()
    if not os.access("/proc/self/mem", os.R_OK):
        pytest.skip("the memory of this process cannot be read")
    assert gold_in_memory(targets(Path("/"))) == "memory of self"
    assert held


async def test_the_attacks_refuse_the_process_that_they_attack() -> None:
    targets = f'{{"parent": {os.getpid()}, "gold": []}}'
    with pytest.raises(RuntimeError, match="process of their own"):
        await Hostile("grader", targets, "").act(Observation("", "user"))
