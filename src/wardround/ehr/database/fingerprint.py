"""Fingerprints of database files, for checking that derived data is still valid."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from threading import Lock

# Device, inode, size, and times of content and of the inode, of each file.
_Stamp = tuple[tuple[int, ...], ...]
_known: dict[tuple[Path, ...], tuple[_Stamp, str]] = {}


class FileFingerprint:
    """A hash of a database file and its logs.

    A copy has other times and the same content, so the bytes are read: about a second per gigabyte,
    once a process, and again only when the files change.
    """

    def __init__(self, files: Sequence[Path]):
        self._files = tuple(files)
        self._lock = Lock()

    def value(self) -> str:
        """The fingerprint, 32 hexadecimal digits."""
        with self._lock:
            stamp = tuple(_stamp(path) for path in self._files)
            known = _known.get(self._files)
            if known is None or known[0] != stamp:
                known = _known[self._files] = (stamp, hash_files(self._files))
            return known[1]


def hash_files(files: Sequence[Path]) -> str:
    """A hash of the content of the files that exist and are not empty, in order."""
    digest = hashlib.blake2b(digest_size=16)
    for path in files:
        if path.exists() and path.stat().st_size:
            with path.open("rb") as stream:
                digest.update(hashlib.file_digest(stream, hashlib.blake2b).digest())
    return digest.hexdigest()


def _stamp(path: Path) -> tuple[int, ...]:
    if not path.exists():
        return ()
    status = path.stat()
    return (
        *(status.st_dev, status.st_ino, status.st_size),
        *(status.st_mtime_ns, status.st_ctime_ns),
    )
