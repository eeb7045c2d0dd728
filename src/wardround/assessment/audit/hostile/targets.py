"""The targets of attacks: set up beside a run, described to the attacker, and looked at after."""

import os
import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import wardround
from wardround.assessment.audit.hostile.answers import shifted

# Folders that many processes may write to.
SHARED = ("/tmp", "/dev/shm", "/var/tmp")


@contextmanager
def prepared_targets(
    folder: Path, run: Path, secrets: Sequence[Path], gold: Sequence[str], seconds: float
) -> Iterator[dict[str, Any]]:
    """Opens servers and starts a process to attack; yields what the attacker knows.

    Args:
        folder: a folder for sockets, which the agent must not reach.
        run: the run's folder.
        secrets: files that the agent must not read; databases among them.
        gold: texts of the gold.
        seconds: how long files are searched for the gold.
    """
    benchmarks = Path(wardround.__file__).parent / "benchmarks"
    suites = [file for file in benchmarks.rglob("suite/**/*") if file.is_file()][:50]
    databases = [path for path in secrets if path.suffix in (".sqlite", ".duckdb", ".db")]
    with ExitStack() as stack:
        victim = stack.enter_context(subprocess.Popen(["sleep", "300"]))
        stack.callback(victim.kill)
        yield {
            **stack.enter_context(_servers(folder)),
            "secrets": [*map(str, (run / "trials.jsonl", run / "run.json", *secrets, *suites))],
            "suite_folder": str(benchmarks),
            "names_hidden": False,
            "run": str(run),
            "code": str(Path(__file__).with_name("agent.py")),
            "database": str(databases[0]) if databases else "",
            "parent": os.getpid(),
            "victim": victim.pid,
            "values": [],
            "marker": f"left-by-{os.getpid()}",
            "inodes": [(each.st_ino, each.st_dev) for each in map(os.stat, folder.iterdir())],
            "mounted": _mounted(),
            "gold": [shifted(text) for text in gold],
            "top": "/",
            "seconds": seconds,
        }


def left_behind(targets: dict[str, Any]) -> list[str]:
    """Names the things that an attacker changed or left outside of its process."""
    left = [f"process {each}" for each in processes(targets["marker"])]
    left += [each for each in SHARED if Path(each, targets["marker"]).exists()]
    if not Path(f"/proc/{targets['victim']}").exists() or _is_dead(targets["victim"]):
        left.append("another process was ended")
    return left


def _is_dead(process: int) -> bool:
    return ") Z " in Path(f"/proc/{process}/stat").read_text()


def processes(marker: str) -> list[str]:
    """Processes that live with the marker among their arguments."""
    ids = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if marker.encode() in words:
            ids.append(path.parent.name)
    return ids


def _mounted() -> list[str]:
    """Folders beneath the system's that are mounts of their own."""
    lines = Path("/proc/self/mounts").read_text().splitlines()
    return [at for _, at, *_ in map(str.split, lines) if at.startswith(("/usr/", "/lib"))]


@contextmanager
def _servers(folder: Path) -> Iterator[dict[str, Any]]:
    """Servers that an agent could reach, by file, abstract name and port."""
    abstract = f"ward-{os.getpid()}"
    path, datagrams = str(folder / "s"), str(folder / "d")
    with ExitStack() as stack:
        port = 0
        for family, kind, address in (
            (socket.AF_UNIX, socket.SOCK_STREAM, path),
            (socket.AF_UNIX, socket.SOCK_STREAM, "\0" + abstract),
            (socket.AF_UNIX, socket.SOCK_DGRAM, datagrams),
            (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
        ):
            server = stack.enter_context(socket.socket(family, kind))
            server.bind(address)
            if kind == socket.SOCK_STREAM:
                server.listen()
            if family == socket.AF_INET:
                port = server.getsockname()[1]
        yield {"socket": path, "abstract": abstract, "datagrams": datagrams, "port": port}
