"""Checksums as PhysioNet lists them: one line per file of a release."""

import re
from hashlib import sha256
from pathlib import Path, PurePosixPath

from wardround.core.errors import InfraError

NAME = "SHA256SUMS.txt"
_LINE = re.compile(r"([0-9a-fA-F]{64}) [ *](.+)")


def read_sums(text: str) -> dict[str, str]:
    """The checksum of each file by its path in the release.

    >>> read_sums("0" * 64 + "  hosp/patients.csv.gz")["hosp/patients.csv.gz"][:4]
    '0000'

    Raises:
        InfraError: If a line is none of such a list, a path leads out of the folder, or there is
            no line.
    """
    sums = dict(_read_line(n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip())
    if not sums:
        raise InfraError(f"{NAME} lists no file; the address is not that of a release.")
    return sums


def _read_line(number: int, line: str) -> tuple[str, str]:
    found = _LINE.fullmatch(line.strip())
    if found is None:
        raise InfraError(f"{NAME}, line {number}, is no checksum; the list cannot be trusted.")
    path = PurePosixPath(found[2])
    if path.is_absolute() or ".." in path.parts or "\\" in found[2]:
        raise InfraError(f"{NAME}, line {number}, leads out of the folder; nothing was fetched.")
    return str(path), found[1].lower()


def sum_of(path: Path) -> str:
    """The SHA-256 of a file."""
    digest = sha256()
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
