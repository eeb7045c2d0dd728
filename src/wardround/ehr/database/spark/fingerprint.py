"""A folder of files as a short text that changes when any of them does."""

import hashlib
from pathlib import Path


def folder_fingerprint(folder: Path) -> str:
    """A hash of the names and bytes of all Parquet files, 32 hexadecimal digits."""
    whole = hashlib.blake2b(digest_size=16)
    for path in sorted(path for path in folder.rglob("*.parquet") if path.is_file()):
        with path.open("rb") as stream:
            content = hashlib.file_digest(stream, hashlib.blake2b).digest()
        whole.update(f"{path.relative_to(folder)}\n".encode() + content)
    return whole.hexdigest()
