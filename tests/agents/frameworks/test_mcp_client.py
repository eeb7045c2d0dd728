"""A program that is an MCP client plays trials by the trial's own MCP server."""

import gc
import sys
from pathlib import Path

import pytest

import wardround
from wardround.agents.frameworks.mcp_client import mcp_agent

SITE = Path(__file__).parents[2] / "plugin" / "site"
TRIAGE = "triage_plugin.declaration:BENCHMARK"

CLIENT = """
import asyncio, sys
from mcp import Client

async def main(url):
    words = sys.stdin.read()
    async with Client(url) as client:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == ["say"], tools
        assert "in the east" in words
        if "--speak" in sys.argv:
            print("red")
            return
        result = await client.call_tool("say", {"text": "red"})
        print("Done.", result.content[0].text)

asyncio.run(main(sys.argv[1]))
"""


@pytest.fixture(autouse=True)
def _triage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SITE))


def test_a_program_plays_by_its_output(tmp_path: Path) -> None:
    (tmp_path / "client.py").write_text(CLIENT)
    plays = mcp_agent(sys.executable, str(tmp_path / "client.py"), "{url}", "--speak")
    run = wardround.run(TRIAGE, agent=plays, task="stroke", out=tmp_path / "run")
    [trial] = run.trials()
    assert (trial.outcome, trial.reason) == ("passed", "")


def test_a_program_that_fails_is_a_fault_of_the_agent(tmp_path: Path) -> None:
    plays = mcp_agent(sys.executable, "-c", "raise SystemExit(3)", "{url}")
    run = wardround.run(TRIAGE, agent=plays, task="stroke", out=tmp_path / "run")
    [trial] = run.trials()
    assert trial.ending == "agent_error"


def test_a_program_that_is_missing_stops_the_run(tmp_path: Path) -> None:
    plays = mcp_agent("no-such-program", "{url}")
    with pytest.raises(wardround.UserError, match="no-such-program cannot be started"):
        wardround.run(TRIAGE, agent=plays, task="stroke", out=tmp_path / "run")


def test_a_command_without_the_address_is_refused() -> None:
    with pytest.raises(wardround.UserError, match=r"has no \{url\}"):
        mcp_agent("client")


def test_a_program_plays_by_the_tool_and_is_killed_with_its_children(tmp_path: Path) -> None:
    child = "import sys, time; time.sleep(600)"
    starts = (
        "import subprocess\n"
        f"child = subprocess.Popen([sys.executable, '-c', {child!r}])\n"
        f"open({str(tmp_path / 'pid')!r}, 'w').write(str(child.pid))\n"
    )
    (tmp_path / "client.py").write_text(
        CLIENT.replace("asyncio.run(main(", f"{starts}asyncio.run(main(")
    )
    plays = mcp_agent(sys.executable, str(tmp_path / "client.py"), "{url}")
    run = wardround.run(TRIAGE, agent=plays, task="stroke", out=tmp_path / "run")
    assert run.trials()[0].outcome == "passed"
    gc.collect()  # a transport that was never closed warns here
    assert not _lives(int((tmp_path / "pid").read_text()))


def _lives(pid: int) -> bool:
    status = Path(f"/proc/{pid}/status")
    return status.exists() and "Z (zombie)" not in status.read_text()
