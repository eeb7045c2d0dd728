"""Runs the hostile agent in one mode of confinement, and prints what it got and left as JSON.

Usage: hostile_run.py FOLDER MECHANISMS KINDS...; a script, so that another user can run it.
Without mechanisms ("") the agent is not confined. One process makes the attacks of each KINDS,
which are joined by commas.
"""

import asyncio
import json
import os
import sqlite3
import sys
from pathlib import Path
from typing import Any

import wardround
from wardround.agents.isolated import launch
from wardround.agents.isolated.agents import IsolatedAgents
from wardround.agents.isolated.program import AgentProgram
from wardround.assessment.audit.hostile import agent as hostile
from wardround.assessment.audit.hostile.targets import left_behind, prepared_targets
from wardround.core.actions import Observation, Say
from wardround.core.benchmark import AgentContext
from wardround.core.errors import AgentError
from wardround.core.task import Briefing
from wardround.core.trajectory import Ledger

SECRET = "the-secret-value"
GOLD = "the gold is 417 mg of nothing"
SECONDS = 2.0


def main(folder: Path, mechanisms: tuple[str, ...], kinds: list[str]) -> None:
    """Set up what is to be attacked, attack it, and see what has changed."""
    vars(launch)["available"] = lambda: mechanisms
    os.environ["WARD_KEY"] = os.environ["PGPASSWORD"] = SECRET
    os.environ["TMPDIR"] = str(folder / "temporary")
    (folder / "temporary").mkdir()
    run = folder / "run"
    run.mkdir()
    for file in (run / "trials.jsonl", run / "run.json"):
        file.write_text(SECRET)
    (folder / "gold.json").write_text(GOLD)
    with sqlite3.connect(folder / "ward.sqlite") as database:
        database.execute("CREATE TABLE gold (answer)")
        database.execute("INSERT INTO gold VALUES ('secret')")
    secrets = [folder / "gold.json", folder / "ward.sqlite"]
    with prepared_targets(folder, run, secrets, [GOLD], SECONDS) as targets:
        targets |= {"names_hidden": "namespaces" in mechanisms, "values": [SECRET]}
        if not mechanisms:
            targets |= {"top": str(folder), "code": str(folder / "gold.json")}
        before = state(folder)
        got = asyncio.run(attacked(run, targets, kinds, unconfined=not mechanisms))
        left = {
            "changed": [one for one in state(folder) if one not in before],
            "left": left_behind(targets),
            "temporary": sorted(path.name for path in (folder / "temporary").iterdir()),
        }
    print(json.dumps({"got": got, "left": left}))


async def attacked(
    run: Path, targets: dict[str, Any], kinds: list[str], *, unconfined: bool
) -> dict[str, Any]:
    """What each kind of attack got."""
    got: dict[str, Any] = {}
    for of_process in kinds:
        settings = {"kinds": of_process, "targets": json.dumps(targets)}
        place = f"{hostile.__name__}:open_agents"
        program = AgentProgram(place, settings, run=run, unconfined=unconfined)
        agents = IsolatedAgents(program, None)
        agent = agents(Briefing("", ()), AgentContext(0, Ledger()))
        try:
            action = await agent.act(Observation("", "user"))
            assert isinstance(action, Say)
            got |= json.loads(action.text)[hostile.REPORT]
        except AgentError as error:
            got |= {kind: {"ended": str(error)} for kind in of_process.split(",")}
        await agents.close()
    return got


def state(folder: Path) -> list[object]:
    """Names, contents, modes and times of what could be forged."""
    files = [*sorted((folder / "run").rglob("*")), folder / "gold.json", folder / "ward.sqlite"]
    code = [Path(wardround.__file__), Path(hostile.__file__ or ""), Path("/dev/null")]
    stats = [(str(file), file.stat()) for file in files if file.exists()]
    contents = [(name, s.st_mode, s.st_size, s.st_mtime_ns) for name, s in stats]
    modes = [(str(file), file.stat().st_mode) for file in code]
    shared = Path("/proc/sysvipc/shm").read_text().split().count(str(1 << 20))
    return [len(stats), *contents, *modes, shared]


if __name__ == "__main__":
    os.chdir(sys.argv[1])
    main(Path(sys.argv[1]), tuple(filter(None, sys.argv[2].split(","))), sys.argv[3:])
