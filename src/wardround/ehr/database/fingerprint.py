"""Fingerprints of database files, for checking that derived data is still valid."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from threading import Lock

_Stamp = tuple[tuple[int, int], ...]


class FileFingerprint:
    """A hash of a database file and its logs.

    Size and modification time alone would miss a replaced file that keeps both, so the bytes are
    read: about a second per gigabyte, once, and again only when size or time change.
    """

    def __init__(self, files: Sequence[Path]):
        self._files = files
        self._lock = Lock()
        self._cached: tuple[_Stamp, str] | None = None

    def value(self) -> str:
        """The fingerprint, 32 hexadecimal digits."""
        with self._lock:
            stamp = tuple(_stamp(path) for path in self._files)
            if self._cached is None or self._cached[0] != stamp:
                self._cached = (stamp, hash_files(self._files))
            return self._cached[1]


def hash_files(files: Sequence[Path]) -> str:
    """A hash of the content of the files that exist and are not empty, in order."""
    digest = hashlib.blake2b(digest_size=16)
    for path in files:
        if path.exists() and path.stat().st_size:
            with path.open("rb") as stream:
                digest.update(hashlib.file_digest(stream, hashlib.blake2b).digest())
    return digest.hexdigest()


def _stamp(path: Path) -> tuple[int, int]:
    if not path.exists():
        return (0, 0)
    status = path.stat()
    return (status.st_size, status.st_mtime_ns)
