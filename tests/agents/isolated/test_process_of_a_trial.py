"""A process for each trial: what an agent leaves in one is gone in the next."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from tests.agents.isolated.test_hostile_agents import MODES
from tests.agents.isolated.test_isolated_agents import BRIEFING, ELSEWHERE, act, context
from wardround.agents.isolated import launch
from wardround.agents.isolated.agents import IsolatedAgents
from wardround.agents.isolated.program import AgentProgram
from wardround.assessment.audit.hostile.targets import processes
from wardround.core.actions import Call, Say
from wardround.core.errors import ActionError, AgentError, UserError
from wardround.sandbox.confinement import available

MARKER = f"left-in-a-trial-by-{os.getpid()}"


async def left(*, per_trial: bool) -> dict[str, Any]:
    """What the second trial finds of the first."""
    program = AgentProgram(f"{ELSEWHERE}:open_obedient", {}, per_trial=per_trial)
    agents = IsolatedAgents(program, None)
    try:
        await agents.process()
        first = context()
        assert await act(agents(BRIEFING, first), f"leave {MARKER}") == Say("done")
        assert processes(MARKER)
        await first.cleanup.aclose()
        found = await act(agents(BRIEFING, context()), f"find {MARKER}")
        assert isinstance(found, Call)
        return {**found.arguments, "child": await still_runs()}
    finally:
        await agents.close()


async def still_runs() -> bool:
    """True if the child still runs after the time that its end takes."""
    for _ in range(20):
        if not processes(MARKER):
            return False
        await asyncio.sleep(0.05)
    return True


@pytest.mark.parametrize("mechanisms", MODES, ids="-".join)
async def test_a_trial_finds_nothing_of_another(
    monkeypatch: pytest.MonkeyPatch, mechanisms: tuple[str, ...]
) -> None:
    if not set(mechanisms) <= set(available()):
        pytest.skip(f"this system has {available()} only")
    monkeypatch.setattr(launch, "available", lambda: mechanisms)
    found = await left(per_trial=True)
    assert found == {"files": [], "threads": [], "objects": 0, "child": False}


async def test_trials_that_share_a_process_find_what_others_left() -> None:
    found = await left(per_trial=False)
    assert found == {"files": ["left"], "threads": [MARKER], "objects": 1, "child": True}
    assert not processes(MARKER)


async def test_trials_at_the_same_time_have_processes_of_their_own() -> None:
    program = AgentProgram(f"{ELSEWHERE}:open_obedient", {}, per_trial=True)
    agents = IsolatedAgents(program, None)
    held, crashing = agents(BRIEFING, context()), agents(BRIEFING, context())
    try:
        assert await act(held, "heard") == Say("heard")
        with pytest.raises(AgentError, match="exit code 3"):
            await act(crashing, "crash 3")
        assert await act(held, "heard") == Say("heard heard")
    finally:
        await agents.close()
    with pytest.raises(AgentError, match="the run is over"):
        await act(held, "heard")


async def test_an_agent_that_opens_no_more_fails_its_trials_and_not_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "def open_agents(model): return lambda briefing, context: None\n"
    (tmp_path / "opens_once.py").write_text(code)
    monkeypatch.chdir(tmp_path)
    agents = IsolatedAgents(AgentProgram("opens_once:open_agents", {}, per_trial=True), None)
    try:
        await agents.process()
        first = context()
        with pytest.raises(AgentError):
            await act(agents(BRIEFING, first), "hello")
        (tmp_path / "opens_once.py").write_text("")
        with pytest.raises(AgentError, match="cannot be imported"):
            await act(agents(BRIEFING, context()), "hello")
    finally:
        await agents.close()
    again = IsolatedAgents(AgentProgram("opens_once:open_agents", {}, per_trial=True), None)
    with pytest.raises(UserError, match="cannot be imported"):
        await again.process()


async def test_a_first_action_that_is_too_large_is_an_action() -> None:
    program = AgentProgram(f"{ELSEWHERE}:open_obedient", {})
    agents = IsolatedAgents(program, None)
    try:
        with pytest.raises(ActionError, match="larger than 100 kB"):
            await act(agents(BRIEFING, context()), "oversize")
    finally:
        await agents.close()
