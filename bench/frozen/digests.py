"""Digests of a recording by trial, table or file, small enough to be checked in."""

import hashlib
import json
from pathlib import Path

from bench.frozen.comparison import MEASURED
from bench.frozen.flat_text import BAR, Flat, read_flat, write_flat

_LENGTH = 16


def case_digests(folder: Path) -> Flat:
    """Computes digests of a case's files in a recording, by file and first part of keys."""
    digests: Flat = {}
    for path in sorted(folder.glob("*.json")):
        if path.name != MEASURED:
            groups = _groups(read_flat(path))
            digests |= {f"{path.stem}{BAR}{name}": text for name, text in groups.items()}
    return digests


def write_reference(recording: Path, reference: Path) -> None:
    """Writes the digests of a recording, a file for each case."""
    for folder in sorted(path for path in recording.iterdir() if path.is_dir()):
        write_flat(reference / f"{folder.name}.json", case_digests(folder))


def _groups(texts: Flat) -> Flat:
    groups: dict[str, Flat] = {}
    for key, text in texts.items():
        groups.setdefault(key.split(BAR)[0], {})[key] = text
    return {name: _digest(inner) for name, inner in groups.items()}


def _digest(texts: Flat) -> str:
    return hashlib.sha256(json.dumps(texts, sort_keys=True).encode()).hexdigest()[:_LENGTH]
