"""Files and folders made by wardround are private; existing ones keep their mode."""

import ast
import fcntl
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from wardround.core.private_files import (
    create_file,
    make_folder,
    open_private,
    put_in_place,
    write_whole,
)
from wardround.ehr.database import write_database

SOURCE = Path(__file__).parents[2] / "src/wardround"
WRITES = {"mkdir", "makedirs", "touch", "write_text", "write_bytes"}
CALLED = re.compile(rf"\b(?:{'|'.join(WRITES)}|open)\(")
# The server's own folder is private and its files are shared with its user. A confined process
# writes to `/proc` and to its own temporary root. The others, as every `__main__.py`, write the
# project's own files.
ELSEWHERE = {
    "core/private_files.py",
    "agents/parser/training/trainer.py",
    "ehr/database/postgres/keeper.py",
    "ehr/database/postgres/server.py",
    "sandbox/confined_process.py",
    "sandbox/namespaces.py",
    *(str(path.relative_to(SOURCE)) for path in SOURCE.glob("authoring/*/__main__.py")),
    # A leaderboard and a new package hold no records, and are made to be shared.
    "apps/command_line/leaderboard.py",
    "apps/new_package/__init__.py",
    # Attacks, which write wherever they can.
    *(str(path.relative_to(SOURCE)) for path in SOURCE.glob("assessment/audit/hostile/*.py")),
}


@pytest.fixture(autouse=True)
def _usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    """The permissions of a file or folder."""
    return path.stat().st_mode & 0o777


def test_new_files_and_folders_are_private(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b" / "c"
    make_folder(folder)
    write_whole(folder / "whole", b"x")
    create_file(folder / "empty")
    with open_private(folder / "opened", "a", encoding="utf-8") as file:
        file.write("x")
    (folder / "new").touch()
    put_in_place(folder / "new", folder / "placed")
    assert {mode(path) for path in folder.iterdir()} == {0o600}
    assert {path.name for path in folder.iterdir()} == {"whole", "empty", "opened", "placed"}
    assert [mode(each) for each in (folder, *folder.parents[:2])] == [0o700] * 3


def test_files_and_folders_that_exist_keep_their_mode(tmp_path: Path) -> None:
    folder, file = tmp_path / "shared", tmp_path / "shared" / "file"
    folder.mkdir(mode=0o755)
    make_folder(folder)
    for content in (b"1", b"2"):
        file.write_bytes(content)
        file.chmod(0o640)
        write_whole(file, content)
        create_file(file)
        open_private(file, "ab").close()
        (folder / "new").touch(0o600)
        put_in_place(folder / "new", file)
        assert mode(file) == 0o640
    assert mode(folder) == 0o755


@pytest.mark.parametrize("engine", ["sqlite", "duckdb"])
def test_a_built_database_is_private(tmp_path: Path, engine: str) -> None:
    path = tmp_path / f"ward.{engine}"
    for statement in ("CREATE TABLE a (b INTEGER)", "INSERT INTO a VALUES (1)"):
        target = write_database(str(path))
        target.execute(statement)
        target.close()
        assert {file: mode(file) for file in tmp_path.iterdir()} == {path: 0o600}
    path.chmod(0o644)
    write_database(str(path)).close()
    assert mode(path) == 0o644


def test_log_of_a_duckdb_file_being_built_is_private(tmp_path: Path) -> None:
    path = tmp_path / "ward.duckdb"
    log = tmp_path / "ward.duckdb.wal"
    target = write_database(str(path))
    for statement in ("CREATE TABLE a (b INTEGER)", "CHECKPOINT", "INSERT INTO a VALUES (1)"):
        target.execute(statement)
        assert log.exists() is (statement != "CHECKPOINT")
        assert {mode(file) for file in tmp_path.iterdir()} == {0o600}
    with duckdb.connect() as lake, target.transaction():
        target.load("a", lake.sql("SELECT 2 AS b"))
    assert mode(log) == 0o600
    target.close()
    (tmp_path / "other").touch()
    assert mode(tmp_path / "other") == 0o644


def writing_calls(source: str) -> Iterator[int]:
    """The lines that create a file or folder with the umask's mode."""
    for node in ast.walk(ast.parse(source)) if CALLED.search(source) else ():
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        modes = {arg.value for arg in node.args if isinstance(arg, ast.Constant)}
        if name in WRITES or (name == "open" and modes & {"w", "a", "x", "wb", "ab", "xb", "a+b"}):
            yield node.lineno


@pytest.mark.integration
def test_every_writer_makes_private_files() -> None:
    result = {
        f"{path.relative_to(SOURCE)}:{line}"
        for path in SOURCE.rglob("*.py")
        if str(path.relative_to(SOURCE)) not in ELSEWHERE and path.name != "__main__.py"
        for line in writing_calls(path.read_text(encoding="utf-8"))
    }
    assert not result


TAKES_THE_LOCK = """
import fcntl, sys
with open(sys.argv[1], "r+b") as file:
    fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
"""


@pytest.mark.integration
def test_a_file_that_exists_keeps_the_locks_of_this_process(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    create_file(path)
    with path.open("r+b") as file:
        fcntl.lockf(file, fcntl.LOCK_EX)
        create_file(path)
        taking = [sys.executable, "-c", TAKES_THE_LOCK, str(path)]
        assert subprocess.run(taking, stderr=subprocess.DEVNULL, check=False).returncode != 0
    assert subprocess.run(taking, check=False).returncode == 0


def test_a_folder_is_not_a_file(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        create_file(tmp_path)
