"""Fetches a whole release: every file that its list of checksums names, each one checked."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from wardround.core.errors import InfraError, UserError
from wardround.ehr.ingest.download.download import (
    Line,
    Progress,
    connected,
    discard,
    download,
    get_text,
)
from wardround.ehr.ingest.download.release import Release
from wardround.ehr.ingest.download.sums import NAME, read_sums, sum_of


@dataclass(frozen=True)
class Fetched:
    """What a fetch did: files that came, files that were there and right, bytes of all."""

    new: int
    kept: int
    bytes: int


def fetch(
    release: Release,
    folder: Path,
    *,
    mirror: str | None = None,
    told: Callable[[Progress], None] = lambda progress: None,
    wait: Callable[[float], None] = time.sleep,
) -> Fetched:
    """Get a release into a folder; what is there and right is not fetched again.

    A file takes its name only when its checksum is right; until then it ends in `.part`, from
    which the next call goes on.

    Args:
        release: What to fetch.
        folder: Where to; made if it is not there.
        mirror: Another address of the same files.
        told: Told how far a file is, block by block.
        wait: Waits that many seconds between tries.

    Raises:
        UserError: If the release needs credentials, or a file in the folder is another one.
        InfraError: If a file cannot be had or is twice not what its checksum says.
    """
    if not release.open:
        raise UserError(_how_to_apply(release))
    base = (mirror or release.url).rstrip("/") + "/"
    with connected(wait, told) as line:
        listed = get_text(line, base + NAME)
        sums = read_sums(listed)
        there = {name for name in sums if _is_there(folder / name, sums[name])}
        for name in (name for name in sums if name not in there):
            _fetch_file(line, base + quote(name), folder / name, name, sums[name])
    (folder / NAME).write_text(listed, "utf-8")
    size = sum((folder / name).stat().st_size for name in sums)
    return Fetched(len(sums) - len(there), len(there), size)


def _is_there(path: Path, wanted: str) -> bool:
    if not path.exists():
        return False
    if sum_of(path) != wanted:
        raise UserError(
            f"File {path} is not the release's: its checksum differs; move it away or fetch into "
            "another folder."
        )
    return True


def _fetch_file(line: Line, url: str, path: Path, name: str, wanted: str) -> None:
    """Download and check; a wrong file is removed and fetched from its start once more."""
    part = path.with_name(f"{path.name}.part")
    for _ in range(2):
        download(line, url, part, name)
        if sum_of(part) == wanted:
            part.rename(path)
            discard(part)
            return
        discard(part)
    raise InfraError(
        f"File {url} came twice with another checksum than {NAME} says and was removed; fetch "
        "again later or from another mirror."
    )


def _how_to_apply(release: Release) -> str:
    return (
        f"{release.title} {release.version} is given to credentialed persons only: apply at "
        f"{release.page}, download its files there, and run `wardround data build "
        f"{release.schema} --from FOLDER --to DATABASE`."
    )
