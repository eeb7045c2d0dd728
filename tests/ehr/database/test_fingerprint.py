import os
from pathlib import Path

import pytest

from wardround.ehr.database import file_format
from wardround.ehr.database.file_format import FileFingerprint


def test_a_file_is_read_once_however_often_it_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ward.sqlite"
    path.write_bytes(b"beds")
    first = FileFingerprint([path]).value()
    with monkeypatch.context() as patch:
        patch.setattr(file_format, "hash_files", None)
        assert FileFingerprint([path]).value() == first


def test_a_file_in_its_place_of_the_same_size_and_time_is_another(tmp_path: Path) -> None:
    path, other = tmp_path / "ward.sqlite", tmp_path / "other.sqlite"
    path.write_bytes(b"beds")
    other.write_bytes(b"bets")
    first = FileFingerprint([path]).value()
    times = path.stat()
    os.utime(other, ns=(times.st_atime_ns, times.st_mtime_ns))
    other.replace(path)
    assert path.stat().st_mtime_ns == times.st_mtime_ns
    assert FileFingerprint([path]).value() != first
