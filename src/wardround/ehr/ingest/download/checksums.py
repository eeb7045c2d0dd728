"""PhysioNet's checksum lists: one line for each file of a release."""

import re
from hashlib import sha256
from pathlib import Path, PurePosixPath

from wardround.core.errors import InfraError

NAME = "SHA256SUMS.txt"
_LINE = re.compile(r"([0-9a-fA-F]{64}) [ *](.+)")


def read_checksums(text: str) -> dict[str, str]:
    """The checksums of a release by file path.

    >>> read_checksums("0" * 64 + "  hosp/patients.csv.gz")["hosp/patients.csv.gz"][:4]
    '0000'

    Raises:
        InfraError: If a line is none of such a list, a path leads out of the folder, or there is
            no line.
    """
    checksums = dict(
        _read_line(n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip()
    )
    if not checksums:
        raise InfraError(f"{NAME} lists no file; check the address of the release.")
    return checksums


def _read_line(number: int, line: str) -> tuple[str, str]:
    match = _LINE.fullmatch(line.strip())
    if match is None:
        raise InfraError(f"{NAME}, line {number}, is not a checksum; the list is unusable.")
    path = PurePosixPath(match[2])
    if path.is_absolute() or ".." in path.parts or "\\" in match[2]:
        raise InfraError(f"{NAME}, line {number}, leads out of the folder; nothing was fetched.")
    return str(path), match[1].lower()


def file_checksum(path: Path) -> str:
    """The SHA-256 of a file."""
    digest = sha256()
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
