"""Runs the hostile agent beside wardround's own PostgreSQL server, and prints what it got as JSON.

Usage: server_run.py FOLDER MECHANISMS; a script, so that another user can run it.
"""

import asyncio
import json
import os
import sys
from importlib import import_module
from pathlib import Path
from time import sleep

from wardround.agents.isolated import launch
from wardround.ehr.database.postgres import server as own_server


def main(folder: Path, mechanisms: tuple[str, ...]) -> None:
    """Start a server, attack it, and see whether it still runs."""
    vars(launch)["available"] = lambda: mechanisms
    os.environ["XDG_DATA_HOME"] = str(folder / "server")
    (folder / "server").mkdir(mode=0o711)
    (folder / "run").mkdir()
    # Its data need not outlive the machine.
    vars(own_server)["_INITDB"] += ("--no-sync", "--set=fsync=off")
    server = own_server.use_server()
    (home,) = (folder / "server" / "wardround" / "postgres").iterdir()
    try:
        first = int((home / "data" / "postmaster.pid").read_text().split()[0])
        targets = {
            "sockets": str(server.sockets),
            "password": str(home / "password"),
            "data": str(home / "data"),
            "program": str(Path(f"/proc/{first}/exe").readlink()),
            "processes": [first, *children(first)],
            "parent": os.getpid(),
            "gold": [],
        }
        attacked = import_module("hostile_run").attacked  # beside this script
        got = asyncio.run(attacked(folder / "run", targets, ["server"], unconfined=not mechanisms))
        runs = Path(f"/proc/{first}").exists()
    finally:
        server.leave()
        while (home / "data" / "postmaster.pid").exists():  # its folder is removed next
            sleep(0.02)
    print(json.dumps({"got": got["server"], "runs": runs}))


def children(process: int) -> list[int]:
    """The processes that a process has started."""
    return [*map(int, Path(f"/proc/{process}/task/{process}/children").read_text().split())]


if __name__ == "__main__":
    os.chdir(sys.argv[1])
    main(Path(sys.argv[1]), tuple(filter(None, sys.argv[2].split(","))))
