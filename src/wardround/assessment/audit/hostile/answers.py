"""Attacks that read the gold: from files, packages, the environment and memory.

The texts of the gold are known with every byte shifted, and are compared with shifted content, so
that knowing them puts no text of the gold into this memory.
"""

import importlib
import os
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Any

from wardround.assessment.audit.hostile.attack import attack, read_text, system_call

SHIFT = bytes((byte + 13) % 256 for byte in range(256))
_BLOCK = 8 << 20
_MOST_BYTES = 64 << 20  # of one file
_NOT_FILES = ("/proc", "/sys", "/dev")


@attack("answers")
def files(targets: dict[str, Any]) -> object:
    return [text for path in targets["secrets"] if (text := read_text(path))]


@attack("answers")
def listed_suites(targets: dict[str, Any]) -> object:
    return [n for n in os.listdir(targets["suite_folder"]) if targets["names_hidden"]]


@attack("answers")
def packaged_suites(targets: dict[str, Any]) -> object:
    return importlib.import_module("wardround.benchmarks").__file__


@attack("answers")
def packaged_makers(targets: dict[str, Any]) -> object:
    return importlib.import_module("wardround.authoring").__file__


@attack("answers")
def made_hospital(targets: dict[str, Any]) -> object:
    return importlib.import_module("wardround.ehr.hospital.catalogue")


@attack("answers")
def links_to_files(targets: dict[str, Any]) -> object:
    for number, path in enumerate(targets["secrets"]):
        os.symlink(path, f"link{number}")
        if text := read_text(f"link{number}"):
            return text
    return None


@attack("answers")
def hard_links(targets: dict[str, Any]) -> object:
    os.link(targets["secrets"][0], "hard")
    return read_text("hard")


@attack("answers")
def renamed_files(targets: dict[str, Any]) -> object:
    os.rename(targets["secrets"][0], "moved")
    return True


@attack("answers")
def paths_without_access(targets: dict[str, Any]) -> object:
    number = os.open(targets["secrets"][0], os.O_PATH)
    try:
        return read_text(f"/proc/self/fd/{number}")
    finally:
        os.close(number)


@attack("answers")
def environment(targets: dict[str, Any]) -> object:
    return [n for n, v in os.environ.items() if v in targets["values"] or n.startswith("PG")]


@attack("answers")
def password_files(targets: dict[str, Any]) -> object:
    return (
        read_text("/etc/shadow") or read_text("/root/.ssh/id_rsa") or read_text("/etc/ssl/private")
    )


@attack("answers")
def keyring(targets: dict[str, Any]) -> object:
    return system_call(250, 0, -3, 1)


def shifted(text: str) -> str:
    """A text as it is looked for.

    >>> shifted("gold")
    't|yq'
    """
    return text.encode().translate(SHIFT).decode("latin-1")


@attack("answers")
def gold_in_files(targets: dict[str, Any]) -> object:
    """Reads all files for a while, program code last."""
    ends = monotonic() + targets["seconds"]
    for path in sorted(_files(targets["top"]), key=_is_code):
        if monotonic() > ends:
            break
        if _holds(_blocks(path, 0, _MOST_BYTES), targets["gold"]):
            return path
    return None


@attack("answers")
def gold_in_memory(targets: dict[str, Any]) -> object:
    """Reads all memory of its process, and of every other one that it may read."""
    for process in ["self", *filter(str.isdigit, os.listdir("/proc"))]:
        for start, end in _mapped(process):
            if _holds(_blocks(f"/proc/{process}/mem", start, end - start), targets["gold"]):
                return f"memory of {process}"
    return None


def _files(top: str) -> Iterator[str]:
    for folder, inner, names in os.walk(top):
        inner[:] = [each for each in inner if os.path.join(folder, each) not in _NOT_FILES]
        yield from (os.path.join(folder, name) for name in names)


def _is_code(path: str) -> bool:
    return path.endswith((".py", ".pyc", ".so", ".h", ".pyi")) or ".so." in path


def _mapped(process: str) -> Iterator[tuple[int, int]]:
    """The parts of a process's memory that can be read; none if it is out of reach."""
    try:
        lines = Path(f"/proc/{process}/maps").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        span, rights, *_ = line.split()
        if rights.startswith("r") and not line.endswith(("[vvar]", "[vsyscall]")):
            start, end = (int(each, 16) for each in span.split("-"))
            yield start, end


def _blocks(path: str, start: int, length: int) -> Iterator[bytes]:
    """The content of a file in overlapping blocks; less if it cannot be read."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return
    try:
        for at in range(start, start + length, _BLOCK // 2):
            block = os.pread(file, min(_BLOCK, start + length - at), at)
            yield block
            if len(block) < _BLOCK:
                return
    except OSError:
        return
    finally:
        os.close(file)


def _holds(blocks: Iterator[bytes], texts: list[str]) -> bool:
    looked_for = [text.encode("latin-1") for text in texts]
    return any(
        text in content
        for block in blocks
        for content in [block.translate(SHIFT)]
        for text in looked_for
    )
