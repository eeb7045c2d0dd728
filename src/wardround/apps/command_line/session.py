"""`wardround session NAME`: trials over standard input and output."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from functools import partial
from threading import Thread
from typing import Any

from wardround.apps.command_line.common_options import SESSION_OPTIONS
from wardround.apps.command_line.parameters import OptionsCommand
from wardround.apps.command_line.plugin_group import PluginGroup
from wardround.apps.command_line.run import benchmark_command
from wardround.core import plugins


def session_command(name: str) -> OptionsCommand:
    """The command that plays a benchmark's trials over lines of JSON."""
    return benchmark_command(name, SESSION_OPTIONS, partial(_serve, name))


command = PluginGroup(
    "session",
    "Play trials over lines of JSON on standard input and output, from any language.",
    "NAME",
    plugins.BENCHMARKS,
    session_command,
)


def _serve(name: str, typed: dict[str, Any]) -> None:
    from wardround.apps.command_line.choices import chosen_settings

    asyncio.run(_serve_settings(chosen_settings(name, {**typed, "agent": "oracle", "attempts": 1})))


async def _serve_settings(settings: Any) -> None:
    from wardround.apps.api import opened_trials
    from wardround.apps.trial_protocol import serve_lines

    with _interruptible():
        async with opened_trials(settings) as trials:
            await serve_lines(trials, _lines(), _write)


@contextmanager
def _interruptible() -> Iterator[None]:
    """Has Ctrl+C end the task, by a handler that wakes the loop.

    That of `asyncio.run` is lost where it comes just before the loop waits, and here nothing else
    may ever wake it.
    """
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None  # noqa: S101 - the caller is one
    loop.add_signal_handler(signal.SIGINT, task.cancel)
    try:
        yield
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    finally:
        loop.remove_signal_handler(signal.SIGINT)


async def _lines() -> AsyncIterator[bytes]:
    """The lines of standard input, read by a daemon: Ctrl+C waits for no further line."""
    loop, lines = asyncio.get_running_loop(), asyncio.Queue[bytes]()

    def read() -> None:
        # Not sys.stdin: a daemon thread must not hold its lock when Python exits.
        with open(sys.stdin.fileno(), "rb", closefd=False) as typed:
            for line in typed:
                loop.call_soon_threadsafe(lines.put_nowait, line)
        loop.call_soon_threadsafe(lines.put_nowait, b"")

    Thread(target=read, daemon=True).start()
    while line := await lines.get():
        yield line


def _write(line: bytes) -> None:
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()
