"""The user's key is made once, is private, and is never replaced."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from wardround.core.errors import UserError
from wardround.core.run_key import key_path, known_key, run_key, secret_seed


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a key that is not made yet."""
    named = tmp_path / "keys" / "mine"
    monkeypatch.setenv("WARDROUND_RUN_KEY", str(named))
    return named


def test_key_is_in_the_state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WARDROUND_RUN_KEY", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert key_path() == tmp_path / "wardround" / "run.key"
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert key_path() == tmp_path / ".local" / "state" / "wardround" / "run.key"


def test_key_is_made_once_and_is_private(path: Path) -> None:
    assert known_key() is None
    key = run_key()
    assert len(key) == 32
    assert run_key() == known_key() == key
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert [each.name for each in path.parent.iterdir()] == ["mine"]


def test_a_seed_of_the_key_is_the_same_each_time_and_of_this_key_alone(path: Path) -> None:
    seed = secret_seed("assess")
    assert secret_seed("assess") == seed != secret_seed("another")
    path.unlink()
    assert secret_seed("assess") != seed


def test_processes_that_make_the_key_at_once_get_the_same(path: Path) -> None:
    with ThreadPoolExecutor(8) as threads:
        assert len(set(threads.map(lambda _: run_key(), range(32)))) == 1


@pytest.mark.parametrize("content", [b"", b"0" * 63, b"zz" * 32, b"\xff" * 64])
def test_file_without_a_key_is_reported_and_kept(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(UserError, match="holds no key"):
        run_key()
    assert path.read_bytes() == content


def test_key_that_others_can_read_is_refused(path: Path) -> None:
    run_key()
    path.chmod(0o640)
    with pytest.raises(UserError, match="chmod 600"):
        run_key()


def test_key_that_cannot_be_written_is_reported(path: Path) -> None:
    path.parent.write_text("a file, not a folder")
    with pytest.raises(UserError, match="WARDROUND_RUN_KEY"):
        run_key()
