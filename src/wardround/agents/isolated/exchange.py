"""One request to an agent's process, which ends with its answer: descriptions and training."""

import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import Any

import orjson

from wardround.agents.isolated.launch import Launch, launch
from wardround.agents.isolated.messages import OPENING
from wardround.agents.isolated.program import AgentProgram, cannot_open
from wardround.core.errors import UserError
from wardround.core.locations import is_url
from wardround.core.serialization import to_line
from wardround.sandbox.error_output import error_pipe, plain
from wardround.sandbox.line_process import MOST_BYTES

_HIDDEN = (
    "; a confined agent sees its own package and installed ones, and more with --agent-allow "
    "read:FOLDER."
)


def described(program: AgentProgram) -> dict[str, Any]:
    """The agent's training as it declares it: `train` (empty for none), `pairs` and `format`.

    Raises:
        UserError: Its options do not fit, or it cannot be imported.
    """
    if program.is_command:
        return {"train": "", "pairs": "", "format": 0}
    with launch(program) as start:
        for answer in _answers(program, start, program.message("describe")):
            match checked_opening(program, answer):
                case {"train": str(train), "pairs": str(pairs), "format": int(form)}:
                    return {"train": train, "pairs": pairs, "format": form}
    raise cannot_open(program, "its process said nothing about it")


def train(
    program: AgentProgram,
    function: str,
    pairs: Path,
    database: str,
    seed: int,
    to: Path,
    progress: Callable[[str], None],
) -> None:
    """Train an agent in a process that reads the database and the pairs and writes one folder.

    Args:
        program: The agent.
        function: Its training function, `module:function`.
        pairs: A file of what it learns from, pickled.
        database: The location of the database.
        seed: The seed of the training.
        to: The file or folder to write, in a folder of its own.
        progress: Called with each step.

    Raises:
        UserError: The training failed, or the process cannot reach the database.
    """
    if is_url(database) and not program.unconfined:
        raise UserError(
            f"The agent {program.name!r} cannot be trained on {database}, since a confined process "
            "reaches no server; train on a file, or name a trained one with --agent-model."
        )
    message = {
        **program.message("train"),
        "train": function,
        "database": database,
        "pairs": str(pairs),
        "seed": seed,
        "to": str(to),
    }
    reads = () if is_url(database) else (Path(database),)
    with launch(program, (*reads, pairs), (to.parent,)) as start:
        _follow(program, _answers(program, start, message), progress)
    _check_plain(program, to)


def checked_opening(program: AgentProgram, answer: dict[str, Any]) -> dict[str, Any]:
    """The answer to an opening.

    Raises:
        UserError: The agent was refused.
    """
    if answer.get("type") == "refused":
        if "message" in answer:
            hidden = answer.get("missing") is True and not program.unconfined
            text = plain(str(answer["message"]))
            raise UserError(f"{text.rstrip('.')}{_HIDDEN}" if hidden else text)
        raise cannot_open(program, str(answer.get("reason")))
    return answer


def _follow(
    program: AgentProgram, answers: Iterator[dict[str, Any]], progress: Callable[[str], None]
) -> None:
    """Pass on the steps of a training until it has ended."""
    for answer in answers:
        match answer:
            case {"type": "step", "text": str(text)}:
                progress(plain(text))
            case {"type": "trained"}:
                return
            case {"type": "refused"}:
                text = answer.get("message", f"Training {program.name} failed: {answer['reason']}.")
                raise UserError(plain(str(text)))
    raise UserError(f"Training {program.name} failed: its process ended; see the reason above.")


def _answers(
    program: AgentProgram, start: Launch, request: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """The lines that a process writes; it is ended with all that it has started.

    Raises:
        UserError: A line is not a message.
    """
    with error_pipe() as errors:
        process = subprocess.Popen(  # noqa: S603 - confined, or wanted so by the user
            start.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=start.environment,
            start_new_session=True,
        )
    try:
        yield from _exchanged(program, process, to_line(dict(request)) + b"\n")
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _exchanged(
    program: AgentProgram, process: "subprocess.Popen[bytes]", line: bytes
) -> Iterator[dict[str, Any]]:
    assert process.stdin is not None  # noqa: S101 - it was started with pipes
    assert process.stdout is not None  # noqa: S101
    with process.stdout as output:
        with suppress(BrokenPipeError), process.stdin as requests:
            requests.write(line)
        while answer := output.readline(MOST_BYTES):
            try:
                message = orjson.loads(answer)
            except orjson.JSONDecodeError:
                message = None
            if not isinstance(message, dict) or message.get("trial") != OPENING:
                raise cannot_open(program, "its process wrote a line that is not a message")
            yield message
    if status := process.wait():
        raise cannot_open(program, f"its process ended with exit code {status}")


def _check_plain(program: AgentProgram, written: Path) -> None:
    """Refuse links and other special files, which would lead elsewhere when they are read.

    Raises:
        UserError: The training wrote none, or something else.
    """
    paths = [written, *(Path(at, n) for at, _, names in os.walk(written) for n in names)]
    paths += [Path(at, name) for at, names, _ in os.walk(written) for name in names]
    for path in paths:
        mode = path.lstat().st_mode if path.is_symlink() or path.exists() else 0
        if not S_ISREG(mode) and not S_ISDIR(mode):
            raise UserError(
                f"Training {program.name} failed: {path.name} is not a file or folder; it has to "
                "write plain files."
            )
