"""The lines of a run's files, each checked if the run is the user's own."""

from collections.abc import Iterator
from mmap import ACCESS_READ, mmap
from pathlib import Path

import orjson

from wardround.core.line_chain import Chain, CheckedLine


def checked_lines(
    path: Path, size: int, chain: Chain | None, start: int = 0
) -> Iterator[CheckedLine]:
    """The lines in the first `size` bytes of a file.

    Args:
        path: the file.
        size: its size without an incomplete or damaged end, by `sound_size`.
        chain: the file's chain up to the start; without one, every line is taken for genuine.
        start: the offset of the first line.
    """
    lines = _lines(path, size, start)
    if chain is not None:
        return chain.checked(lines)
    return (CheckedLine(offset, text, True, offset) for offset, text in lines)


def sound_size(path: Path) -> int:
    """The size of a file up to its last complete line that is a JSON object."""
    if not path.is_file() or not path.stat().st_size:
        return 0
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        end = content.rfind(b"\n") + 1
        while end:
            start = content.rfind(b"\n", 0, end - 1) + 1
            if _is_object(content[start:end]):
                break
            end = start
        return end


def _lines(path: Path, size: int, start: int) -> Iterator[tuple[int, bytes]]:
    """The lines from a start up to `size` bytes with their offsets, without newlines."""
    if size <= start:
        return
    offset = start
    with path.open("rb") as file:
        file.seek(start)
        while offset < size and (line := file.readline()):
            yield offset, line[:-1]
            offset += len(line)


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(orjson.loads(line), dict)
    except orjson.JSONDecodeError:
        return False
