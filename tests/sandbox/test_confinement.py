"""Confined processes: each mode alone, older versions of landlock, and what is found available."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

from wardround.sandbox import landlock
from wardround.sandbox.confinement import (
    LANDLOCK,
    NAMESPACES,
    SECCOMP,
    View,
    available,
    confined_command,
)
from wardround.sandbox.namespaces import SCRATCH

MODES = [(NAMESPACES, LANDLOCK, SECCOMP), (NAMESPACES, SECCOMP), (LANDLOCK, SECCOMP)]
PYTHON = [str(Path(sys.base_prefix, part)) for part in ("bin", "lib")]
SYSTEM = ("/usr/lib", "/usr/lib64", "/usr/bin")
LINKS = tuple((f"/{each}", f"usr/{each}") for each in ("lib", "lib64", "bin"))

pytestmark = pytest.mark.skipif(not available(), reason="nothing here can confine a process")


@pytest.fixture
def folder() -> Iterator[Path]:
    made = Path(mkdtemp())
    yield made
    shutil.rmtree(made)


def confined(
    code: str, folder: Path, mechanisms: tuple[str, ...], network: bool = False
) -> "subprocess.CompletedProcess[str]":
    """What Python code prints that is confined and sees a folder."""
    if not set(mechanisms) <= set(available()):
        pytest.skip(f"this system has {available()} only")
    (folder / "scratch").mkdir(exist_ok=True)
    scratch = SCRATCH if NAMESPACES in mechanisms else str(folder / "scratch")
    view = View((*SYSTEM, *PYTHON, str(folder / "seen")), links=LINKS, network=network)
    python = str(Path(sys.base_prefix, "bin", Path(sys.executable).resolve().name))
    command = confined_command(view, [python, "-I", "-c", code], scratch, mechanisms)
    return subprocess.run(
        command, capture_output=True, text=True, env={"TMPDIR": scratch}, start_new_session=True
    )


WORKS = """
import asyncio, multiprocessing, os, socket, sqlite3, ssl, subprocess, tempfile, threading
async def shell():
    process = await asyncio.create_subprocess_exec("/bin/true")
    return await process.wait()
assert asyncio.run(shell()) == 0
ours, theirs = socket.socketpair()
ours.send(b"x")
assert theirs.recv(1) == b"x"
thread = threading.Thread(target=int)
thread.start()
thread.join()
with tempfile.NamedTemporaryFile() as file:
    file.write(b"x")
assert sqlite3.connect("own.sqlite").execute("SELECT 1").fetchone() == (1,)
child = subprocess.Popen(["/bin/sleep", "60"])
child.kill()
child.wait()
print(sorted(os.environ.keys() - {"LC_CTYPE"}), os.listdir("."), end="")
"""


@pytest.mark.parametrize("mechanisms", MODES, ids="-".join)
def test_usual_programs_work(folder: Path, mechanisms: tuple[str, ...]) -> None:
    done = confined(WORKS, folder, mechanisms)
    assert (done.stdout, done.stderr) == ("['TMPDIR'] ['own.sqlite']", "")


DESCRIPTORS = """
import os
def is_open(number):
    try:
        return os.fstat(number) is not None
    except OSError:
        return False
print([number for number in range(300) if is_open(number)])
"""


@pytest.mark.parametrize("mechanisms", MODES, ids="-".join)
def test_only_the_standard_descriptors_are_open(folder: Path, mechanisms: tuple[str, ...]) -> None:
    with (folder / "secret").open("w") as secret:
        os.set_inheritable(secret.fileno(), True)
        assert confined(DESCRIPTORS, folder, mechanisms).stdout == "[0, 1, 2]\n"


NETWORK = """
import socket
made = []
for family in range(46):
    for kind in (1, 2):
        try:
            socket.socket(family, kind).close()
            made.append(family)
        except OSError:
            continue
print(sorted(set(made)))
"""


@pytest.mark.parametrize("mechanisms", MODES, ids="-".join)
def test_an_allowed_network_is_ipv4_and_ipv6_only(
    folder: Path, mechanisms: tuple[str, ...]
) -> None:
    assert confined(NETWORK, folder, mechanisms).stdout == "[]\n"
    allowed = confined(NETWORK, folder, mechanisms, network=True).stdout
    assert json.loads(allowed) in ([2, 10], [2])


OLDER = """
import fcntl, os, signal, socket, sys
sent = int(sys.argv[1]) if len(sys.argv) > 1 else os.getppid()
def works(attack):
    try:
        attack()
        return True
    except OSError:
        return False
seen = SEEN
attacks = {
    "truncate": lambda: os.truncate(seen, 0),
    "truncate by opening": lambda: os.open(seen, os.O_RDONLY | os.O_TRUNC),
    "truncate without access": lambda: os.open(seen, 3 | os.O_TRUNC),
    "kill": lambda: os.kill(sent, 0),
    "owner": lambda: fcntl.fcntl(socket.socketpair()[0], fcntl.F_SETOWN, sent),
    "group": lambda: os.setpgid(0, 0),
    "mode": lambda: os.chmod(seen, 0o600),
    "link": lambda: os.link(seen, "hard"),
}
if VERSION >= 6:
    del attacks["owner"]  # landlock stops the signal, not the setting
print([name for name, attack in attacks.items() if works(attack)])
signal.raise_signal(0)
"""


@pytest.mark.parametrize("version", range(1, 8))
def test_older_versions_of_landlock_let_nothing_more_through(
    folder: Path, version: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if landlock.version() < version:
        pytest.skip(f"landlock here is of version {landlock.version()}")
    monkeypatch.setattr(landlock, "version", lambda: version)
    (folder / "seen").mkdir()
    (folder / "seen" / "file").write_text("text")
    code = OLDER.replace("SEEN", repr(str(folder / "seen" / "file"))).replace(
        "VERSION", str(version)
    )
    done = confined(code, folder, (LANDLOCK, SECCOMP))
    assert (done.stdout, done.stderr) == ("[]\n", "")
    assert (folder / "seen" / "file").read_text() == "text"


@pytest.mark.parametrize("mechanisms", MODES, ids="-".join)
def test_what_is_mounted_in_a_readable_folder_is_read_only_too(
    folder: Path, mechanisms: tuple[str, ...]
) -> None:
    """A read-only bind alone would leave the inner mount writable."""
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("only root can mount a folder for this")
    inner = folder / "seen" / "inner"
    inner.mkdir(parents=True)
    (folder / "scratch").mkdir()
    code = f"import os; os.open({str(inner / 'x')!r}, os.O_CREAT | os.O_WRONLY)"
    script = (
        "import sys; from tests.sandbox.test_confinement import confined; from pathlib import Path;"
        f"print(confined({code!r}, Path({str(folder)!r}), {mechanisms!r}).stderr)"
    )
    shell = f'mount -t tmpfs none {inner} && exec "$@"'
    command = ["unshare", "-m", "sh", "-c", shell, "sh", sys.executable, "-c", script]
    root = Path(__file__).parents[2]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=root, env={**os.environ, "PYTHONPATH": "."}
    )
    assert "Read-only file system" in done.stdout or "Permission denied" in done.stdout, done


def test_namespaces_count_only_where_mounts_succeed() -> None:
    """landlock allows new namespaces and refuses all mounts, as some systems do."""
    if NAMESPACES not in available() or LANDLOCK not in available():
        pytest.skip(f"this system has {available()} only")
    script = (
        "from wardround.sandbox import landlock; from wardround.sandbox.confinement import *;"
        "landlock.restrict(('/',), ('/',), network=True, version=landlock.version());"
        "print(available())"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout == f"{(LANDLOCK, SECCOMP)}\n", done.stderr


def test_daemons_end_with_the_process_that_was_to_end_them(folder: Path) -> None:
    """As after SIGKILL to wardround: its child ends the whole group."""
    mark = f"left-{os.getpid()}"
    code = (
        "import subprocess, sys, time\n"
        f"subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)', {mark!r}])\n"
        "print('started', flush=True)\ntime.sleep(60)"
    )
    script = (
        "from tests.sandbox.test_confinement import confined; from pathlib import Path;"
        f"confined({code!r}, Path({str(folder)!r}), {(LANDLOCK, SECCOMP)!r})"
    )
    if LANDLOCK not in available():
        pytest.skip("no landlock")
    root = Path(__file__).parents[2]
    process = subprocess.Popen(
        [sys.executable, "-c", script], cwd=root, env={**os.environ, "PYTHONPATH": "."}
    )
    assert _eventually(lambda: _living(mark) >= 1)
    process.kill()
    process.wait()
    assert _eventually(lambda: _living(mark) == 0)


def _living(mark: str) -> int:
    found = 0
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found += mark.encode() in path.read_bytes().split(b"\0")
        except OSError:
            continue
    return found


def _eventually(condition: Any) -> bool:
    import time

    for _ in range(300):
        if condition():
            return True
        time.sleep(0.1)
    return False


def test_a_slow_start_counts_as_confined() -> None:
    slow = (
        "from wardround.sandbox import confined_process as c; c._WATCH_MILLISECONDS = 0; c.main()"
    )
    command = confined_command(View(("/usr/lib",)), (), "/", (SECCOMP,))
    words = command[command.index("-c") + 3 :]
    tried = subprocess.run([sys.executable, "-c", slow, *words], start_new_session=True)
    assert tried.returncode == 0


def test_a_confined_process_imports_little_before_it_begins() -> None:
    command = confined_command(View(()), (), "/", (SECCOMP,))
    at = command.index("-c") + 1
    slow = "{'asyncio', 'contextlib', 'logging', 'pathlib', 're', 'typing'}"
    assert "\nmain()" in command[at]
    command[at] = command[at].replace("\nmain()", f"\nprint({slow} & set(sys.modules))")
    assert subprocess.run(command, capture_output=True, text=True).stdout == "set()\n"
