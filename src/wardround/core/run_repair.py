"""Repairs a run: moves lines aside that are not as they were written, and starts new chains.

Moved bytes go to files ending in `.damaged`. Trials that lost a trajectory or a verdict lose their
own line as well, so that a resumed run plays or judges them again. Trial lines go first: a repair
that is killed leaves the rest to the next one.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson

from wardround.core.line_chain import MAC_LENGTH, CheckedLine, unsigned
from wardround.core.private_files import open_private, write_whole
from wardround.core.run_check import RunCheck, TrialKey
from wardround.core.run_document import SEAL, TRAJECTORIES, TRIALS, VERDICTS, Signer
from wardround.core.run_lines import checked_lines, sound_size

DAMAGED = ".damaged"

_NO_TRAJECTORY = b'{"played":null,"events":[]'


def repair_run(folder: Path, signer: Signer, check: RunCheck) -> None:
    """Moves everything aside that a check found; the caller holds the lock of the run."""
    (folder / SEAL).unlink(missing_ok=True)
    _repair(folder / TRIALS, signer, lambda trial: _key(trial) in check.damaged)
    _repair(folder / TRAJECTORIES, signer, lambda line: _key(line["played"]) in check.lost)
    _repair(folder / VERDICTS, signer, lambda verdict: False)


def set_aside(path: Path, content: bytes) -> None:
    """Adds damaged bytes of a file to the file beside it that keeps them."""
    with open_private(path.with_name(path.name + DAMAGED), "ab") as damaged:
        damaged.write(content)


def _repair(path: Path, signer: Signer, is_stale: Callable[[dict[str, Any]], bool]) -> None:
    """Rewrites a file in a new chain without changed and stale lines, if there are any."""
    size = sound_size(path)
    lines = list(checked_lines(path, size, signer.chain(path.name)))
    stale = {line for line in lines if line.genuine and is_stale(orjson.loads(line.text))}
    removed = [line.text + b"\n" for line in lines if line in stale or not line.genuine]
    if not removed:
        return
    set_aside(path, b"".join(removed) + path.read_bytes()[size:])
    if path.name == TRAJECTORIES:
        remaining = _in_place(lines, stale)
    else:
        remaining = (unsigned(line.text) for line in lines if line.genuine and line not in stale)
    chain = signer.chain(path.name)
    write_whole(path, b"".join(chain.signed(text) + b"\n" for text in remaining))


def _in_place(lines: Sequence[CheckedLine], stale: Collection[CheckedLine]) -> Iterator[bytes]:
    """The remaining lines where they were written; empty trajectories fill the gaps."""
    end = 0
    for line in lines:
        if not line.genuine:
            continue
        if line.origin > end:
            yield _filler(line.origin - end)
        size = len(line.text) + 1
        yield _filler(size) if line in stale else unsigned(line.text)
        end = line.origin + size


def _filler(size: int) -> bytes:
    """An attempt without events that does not count, of `size` bytes once it is signed."""
    return _NO_TRAJECTORY.ljust(size - MAC_LENGTH) + b"}"


def _key(document: Any) -> TrialKey | None:
    """The trial of a record or a played trial."""
    return (document["task"], document["trial"]) if document else None
