"""Runs the hostile agent in one mode of confinement, and prints what it got and left as JSON.

Usage: hostile_run.py FOLDER MECHANISMS KIND...; a script, so that another user can run it.
Without mechanisms ("") the agent is not confined.
"""

import asyncio
import json
import os
import socket
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import wardround
from wardround.agents.isolated import launch
from wardround.agents.isolated.agents import IsolatedAgents
from wardround.agents.isolated.program import AgentProgram
from wardround.core.actions import Call, Observation
from wardround.core.benchmark import AgentContext
from wardround.core.errors import AgentError
from wardround.core.task import Briefing
from wardround.core.trajectory import Ledger

SHARED = ("/tmp", "/dev/shm", "/var/tmp")
SECRET = "the-secret-value"


def main(folder: Path, mechanisms: tuple[str, ...], kinds: list[str]) -> None:
    """Set up what is to be attacked, attack it, and see what has changed."""
    vars(launch)["available"] = lambda: mechanisms
    os.environ["WARD_KEY"] = os.environ["PGPASSWORD"] = SECRET
    os.environ["TMPDIR"] = str(folder / "temporary")
    (folder / "temporary").mkdir()
    run = folder / "run"
    run.mkdir()
    trials = run / "trials.jsonl"
    for file in (trials, run / "run.json", folder / "gold.json"):
        file.write_text(SECRET)
    with sqlite3.connect(folder / "ward.sqlite") as database:
        database.execute("CREATE TABLE gold (answer)")
        database.execute("INSERT INTO gold VALUES ('secret')")
    with sockets(folder) as known, subprocess.Popen(["sleep", "300"]) as victim:
        benchmarks = Path(wardround.__file__).parent / "benchmarks"
        suites = [file for file in benchmarks.rglob("suite/**/*") if file.is_file()][:50]
        known |= {
            "secrets": [*map(str, (folder / "gold.json", trials, folder / "ward.sqlite", *suites))],
            "suite_folder": str(benchmarks),
            "names_hidden": "namespaces" in mechanisms,
            "run": str(run),
            "database": str(folder / "ward.sqlite"),
            "parent": os.getpid(),
            "victim": victim.pid,
            "values": [SECRET],
            "marker": f"left-by-{os.getpid()}",
            "inodes": [(s.st_ino, s.st_dev) for s in map(os.stat, folder.iterdir())],
            "mounted": mounted(),
        }
        before = state(folder)
        got = asyncio.run(attacked(run, known, kinds, unconfined=not mechanisms))
        left = {
            "changed": [one for one in state(folder) if one not in before],
            "victim": victim.poll(),
            "processes": processes(known["marker"]),
            "temporary": sorted(path.name for path in (folder / "temporary").iterdir()),
            "files": [each for each in SHARED if Path(each, known["marker"]).exists()],
        }
        victim.kill()
    print(json.dumps({"got": got, "left": left}))


async def attacked(
    run: Path, known: dict[str, Any], kinds: list[str], *, unconfined: bool
) -> dict[str, Any]:
    """What each kind of attack got."""
    got = {}
    for kind in kinds:
        program = AgentProgram("hostile_agent:open_agents", {}, run=run, unconfined=unconfined)
        agents = IsolatedAgents(program, None)
        agent = agents(Briefing("", ()), AgentContext(0, Ledger()))
        try:
            action = await agent.act(Observation(f"{kind} {json.dumps(known)}", "user"))
            assert isinstance(action, Call)
            got[kind] = dict(action.arguments)
        except AgentError as error:
            got[kind] = {"ended": str(error)}
        await agents.close()
    return got


def state(folder: Path) -> list[object]:
    """Names, contents, modes and times of what could be forged."""
    files = [*sorted((folder / "run").rglob("*")), folder / "gold.json", folder / "ward.sqlite"]
    code = [Path(wardround.__file__), folder / "hostile_agent.py", Path("/dev/null")]
    stats = [(str(file), file.stat()) for file in files if file.exists()]
    contents = [(name, s.st_mode, s.st_size, s.st_mtime_ns) for name, s in stats]
    modes = [(str(file), file.stat().st_mode) for file in code]
    shared = Path("/proc/sysvipc/shm").read_text().split().count(str(1 << 20))
    return [len(stats), *contents, *modes, shared]


def processes(marker: str) -> list[str]:
    """Processes that still live with the marker among their arguments."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if marker.encode() in words:
            found.append(path.parent.name)
    return found


def mounted() -> list[str]:
    """Folders beneath the system's that are mounts of their own."""
    lines = Path("/proc/self/mounts").read_text().splitlines()
    return [at for _, at, *_ in map(str.split, lines) if at.startswith(("/usr/", "/lib"))]


class sockets:  # noqa: N801 - used as a function
    """Servers that an agent could reach."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open: list[socket.socket] = []

    def __enter__(self) -> dict[str, Any]:
        abstract = f"ward-{os.getpid()}"
        path, datagrams = str(self._folder / "s"), str(self._folder / "d")
        for family, kind, address in (
            (socket.AF_UNIX, socket.SOCK_STREAM, path),
            (socket.AF_UNIX, socket.SOCK_STREAM, "\0" + abstract),
            (socket.AF_UNIX, socket.SOCK_DGRAM, datagrams),
            (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
        ):
            server = socket.socket(family, kind)
            server.bind(address)
            if kind == socket.SOCK_STREAM:
                server.listen()
            self._open.append(server)
        port = self._open[-1].getsockname()[1]
        return {"socket": path, "abstract": abstract, "datagrams": datagrams, "port": port}

    def __exit__(self, *error: object) -> None:
        for server in self._open:
            server.close()


if __name__ == "__main__":
    os.chdir(sys.argv[1])
    main(Path(sys.argv[1]), tuple(filter(None, sys.argv[2].split(","))), sys.argv[3:])
