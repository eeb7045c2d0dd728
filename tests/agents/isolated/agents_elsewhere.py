"""Agents that are not wardround's own, for tests; they run in a process of their own."""

import asyncio
import gc
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.benchmark import AgentContext, AgentMaker
from wardround.core.declaration import AgentDeclaration, Options
from wardround.core.environment import Agent
from wardround.core.task import Briefing
from wardround.models.client import LanguageModel
from wardround.models.messages import Message
from wardround.models.model import Model

LEFT: list[object] = []

print("An agent that prints disturbs nobody.")


class Obedient:
    """Does what the observation says."""

    def __init__(self, briefing: Briefing, context: AgentContext, model: Model | None) -> None:
        self.briefing, self.context, self.model = briefing, context, model
        self.heard: list[str] = []

    async def act(self, observation: Observation) -> Action:
        word, _, rest = observation.text.partition(" ")
        self.heard.append(word)
        action: Action = await getattr(self, f"do_{word}")(rest)
        return action

    async def do_brief(self, rest: str) -> Action:
        tools = [tool.name for tool in self.briefing.tools]
        facts = dict(self.briefing.facts)
        return Call("seen", {"tools": tools, "facts": facts, "seed": self.context.seed})

    async def do_heard(self, rest: str) -> Action:
        return Say(" ".join(self.heard))

    async def do_long(self, rest: str) -> Action:
        return Call("write", {"text": "x" * 99_000, "read": len(rest)})

    async def do_crash(self, rest: str) -> Action:
        os._exit(int(rest))

    async def do_raise(self, rest: str) -> Action:
        raise KeyError(rest)

    async def do_sleep(self, rest: str) -> Action:
        await asyncio.sleep(float(rest))
        return Say("awake")

    async def do_block(self, rest: str) -> Action:
        time.sleep(float(rest))  # noqa: ASYNC251 - a bad agent
        return Say("unblocked")

    async def do_ask(self, rest: str) -> Action:
        assert self.model is not None
        questions = [[Message("user", word)] for word in rest.split()]
        replies = await asyncio.gather(*(self.model.chat(each) for each in questions))
        return Say(" ".join(reply.text for reply in replies))

    async def do_fill(self, rest: str) -> Action:
        assert self.model is not None
        form = await self.model.structured([Message("user", rest)], Form)
        return Say(f"{form.ward} on floor {form.floor}")

    async def do_leave(self, rest: str) -> Action:
        leave(rest)
        return Say("done")

    async def do_find(self, rest: str) -> Action:
        return Call("found", what_is_left(rest))

    async def do_oversize(self, rest: str) -> Action:
        return Say("x" * 1_000_000)

    async def do_search(self, rest: str) -> Action:
        return Call("found", {"secrets": sorted(set(secrets_in_reach(rest)))})


class Form(BaseModel):
    """A ward and where it is."""

    ward: str
    floor: int


def open_obedient(model: LanguageModel | None, *, greeting: str = "") -> AgentMaker:
    def make(briefing: Briefing, context: AgentContext) -> Obedient:
        if model is None:
            return Obedient(briefing, context, None)
        bound = model.bind("agent", context.ledger.record, context.seed)
        return Obedient(briefing, context, bound)

    return make


class TrainedOptions(Options):
    """Options of an agent that learns."""

    agent_model: Path | None = None
    pairs: str = "made"


def open_trained(model: LanguageModel | None, *, agent_model: Any, trained: Any) -> AgentMaker:
    def make(briefing: Briefing, context: AgentContext) -> Agent:
        raise KeyError(f"trained on {trained['ward'].name}")

    return make


TRAINED = AgentDeclaration(
    "learner",
    "Learns.",
    f"{__name__}:open_trained",
    TrainedOptions,
    train=f"{__name__}:train",
    trained_format=3,
)


def open_nothing(model: LanguageModel | None) -> Any:
    return None


def open_badly(model: LanguageModel | None) -> Any:
    raise KeyError("weights")


def leave(marker: str) -> None:
    """Leaves a file, a child process, a thread and an object."""
    Path("left").write_text(marker)
    words = [sys.executable, "-S", "-c", "input()", marker]
    child = subprocess.Popen(words, stdin=subprocess.PIPE)
    LEFT.append(child)
    threading.Thread(target=child.wait, name=marker, daemon=True).start()


def what_is_left(marker: str) -> dict[str, Any]:
    """What can be found of it."""
    threads = [each.name for each in threading.enumerate() if each.name == marker]
    files = sorted(file.name for file in Path().iterdir())
    return {"files": files, "threads": threads, "objects": len(LEFT)}


def secrets_in_reach(prefix: str) -> list[str]:
    """All texts with the prefix and 32 digits in objects, frames, and the memory of processes."""
    pattern = re.compile(f"{prefix}[0-9a-f]{{32}}")
    texts = [repr(each) for each in gc.get_objects() if isinstance(each, (dict, list, tuple))]
    for frame in sys._current_frames().values():
        while frame is not None:
            texts.append(repr(frame.f_locals) + repr(frame.f_globals))
            frame = frame.f_back  # type: ignore[assignment]
    parent = os.getppid()
    for process in ("self", str(parent), *_children(parent)):
        texts += [_text(Path("/proc", process, name)) for name in ("environ", "cmdline", "maps")]
        texts += _memory(process) if process != "self" else []
    return [found for text in texts for found in pattern.findall(text)]


def _children(parent: int) -> list[str]:
    return _text(Path(f"/proc/{parent}/task/{parent}/children")).split()


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("latin-1")
    except OSError:
        return ""


def _memory(process: str) -> list[str]:
    texts = []
    for line in _text(Path("/proc", process, "maps")).splitlines():
        where, rights, *_ = line.split()
        start, end = (int(each, 16) for each in where.split("-"))
        if rights.startswith("rw") and end - start < 1 << 28:
            try:
                with Path(f"/proc/{process}/mem").open("rb") as memory:
                    memory.seek(start)
                    texts.append(memory.read(end - start).decode("latin-1"))
            except OSError:
                continue
    return texts
