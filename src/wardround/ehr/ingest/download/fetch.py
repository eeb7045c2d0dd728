"""Download of a whole release: every file of its checksum list, verified."""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from urllib.parse import quote

from wardround.core.errors import InfraError, UserError
from wardround.core.private_files import write_whole
from wardround.ehr.ingest.download.download import (
    Connection,
    Progress,
    discard,
    download,
    get_text,
    open_connection,
)
from wardround.ehr.ingest.download.release import Release


@dataclass(frozen=True)
class FetchResult:
    """Counts of a fetch: new files, files already present, total bytes."""

    new: int
    present: int
    bytes: int


def fetch(
    release: Release,
    folder: Path,
    *,
    mirror: str | None = None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    wait: Callable[[float], None] = time.sleep,
) -> FetchResult:
    """Download a release into a folder, skipping verified files.

    Unverified files end in `.part`; the next call resumes them.

    Args:
        release: The release.
        folder: The target folder, created if missing.
        mirror: Another address of the same files.
        on_progress: Called with the progress of each block.
        wait: Sleeps between retries.

    Raises:
        UserError: If the release needs credentials, or a file in the folder differs from it.
        InfraError: If a file cannot be downloaded, or fails its checksum twice.
    """
    if not release.open:
        raise UserError(_access_instructions(release))
    base = (mirror or release.url).rstrip("/") + "/"
    with open_connection(wait, on_progress) as connection:
        checksum_list = get_text(connection, base + NAME)
        checksums = read_checksums(checksum_list)
        present = {name for name in checksums if _is_present(folder / name, checksums[name])}
        for name in (name for name in checksums if name not in present):
            _fetch_file(connection, base + quote(name), folder / name, name, checksums[name])
    write_whole(folder / NAME, checksum_list.encode())
    size = sum((folder / name).stat().st_size for name in checksums)
    return FetchResult(len(checksums) - len(present), len(present), size)


def _is_present(path: Path, checksum: str) -> bool:
    if not path.exists():
        return False
    if file_checksum(path) != checksum:
        raise UserError(
            f"File {path} differs from the release's by its checksum; move it away or fetch into "
            "another folder."
        )
    return True


def _fetch_file(connection: Connection, url: str, path: Path, name: str, checksum: str) -> None:
    """Download and verify a file; retry once from the start if the checksum differs."""
    part = path.with_name(f"{path.name}.part")
    for _ in range(2):
        download(connection, url, part, name)
        if file_checksum(part) == checksum:
            part.rename(path)
            discard(part)
            return
        discard(part)
    raise InfraError(
        f"File {url} failed the checksum of {NAME} twice and was removed; fetch "
        "again later or from another mirror."
    )


def _access_instructions(release: Release) -> str:
    return (
        f"{release.title} {release.version} needs credentialed access: apply at "
        f"{release.page}, download its files there, and run `wardround data build "
        f"{release.schema} --from FOLDER --to DATABASE`."
    )


NAME = "SHA256SUMS.txt"
_LINE = re.compile(r"([0-9a-fA-F]{64}) [ *](.+)")


def read_checksums(text: str) -> dict[str, str]:
    """The checksums of a release by file path.

    >>> read_checksums("0" * 64 + "  hosp/patients.csv.gz")["hosp/patients.csv.gz"][:4]
    '0000'

    Raises:
        InfraError: If a line is malformed, a path leads out of the folder, or the list is empty.
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
