"""The command `wardround session`, which plays trials over lines of JSON."""

import asyncio
import json
from asyncio.subprocess import PIPE, Process
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, TypeAlias

MOST_BYTES = 32 << 20

Command: TypeAlias = tuple[str, ...]


class SessionError(Exception):
    """The session refused a request, or ended."""


class Session:
    """A running session; one trial is open at a time."""

    def __init__(self, process: Process) -> None:
        self._process = process

    @classmethod
    async def start(cls, command: Command) -> "Session":
        """Starts a session with a command such as `wardround session NAME`.

        Raises:
            SessionError: there is no such command.
        """
        try:
            process = await asyncio.create_subprocess_exec(
                *command, stdin=PIPE, stdout=PIPE, limit=MOST_BYTES
            )
        except FileNotFoundError:
            raise SessionError(
                f"{command[0]} was not found; install wardround in an environment of its own and "
                "name its command with --env.taskset.command."
            ) from None
        return cls(process)

    async def ask(self, **request: Any) -> dict[str, Any]:
        """The answer to a request.

        Raises:
            SessionError: the request was refused, or the session has ended.
        """
        assert self._process.stdin
        assert self._process.stdout
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            await self._process.stdin.drain()
        except ConnectionError:
            raise SessionError("The wardround session has ended; its reason is above.") from None
        line = await self._process.stdout.readline()
        if not line:
            raise SessionError("The wardround session has ended; its reason is above.")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise SessionError(answer["error"])
        return answer

    async def close(self) -> None:
        """Ends the session."""
        assert self._process.stdin
        self._process.stdin.close()
        await self._process.wait()


# Of the process, since verifiers makes a harness for each rollout.
_idle: dict[Command, list[Session]] = defaultdict(list)
_trials: Counter[tuple[Command, str]] = Counter()


@asynccontextmanager
async def idle_session(command: Command) -> AsyncIterator[Session]:
    """A session without an open trial; after a fault it is not used again."""
    sessions = _idle[command]
    session = sessions.pop() if sessions else await Session.start(command)
    try:
        yield session
    except BaseException:
        await session.close()
        raise
    sessions.append(session)


def next_trial(command: Command, task: str) -> int:
    """The number of the next trial of a task in this process."""
    _trials[command, task] += 1
    return _trials[command, task] - 1
