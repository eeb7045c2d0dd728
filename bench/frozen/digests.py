"""A recording in small: a digest for each trial, table or file, which can be checked in."""

import hashlib
import json
from pathlib import Path

from bench.frozen.comparison import MEASURED, Renamed
from bench.frozen.flat_text import BAR, Flat, read_flat, write_flat

_LENGTH = 16


def case_digests(folder: Path, renamed: Renamed, *, back: bool) -> Flat:
    """Digests of all files of a case, by file and the first part of keys.

    Args:
        folder: The case's folder in a recording.
        renamed: Declared changes are left out of digests.
        back: Whether names of now are put back to those of before.
    """
    found: Flat = {}
    for path in sorted(folder.glob("*.json")):
        if path.name != MEASURED:
            texts = read_flat(path)
            texts = renamed.back(texts) if back else texts
            texts = renamed.without_declared(folder.name, path.name, texts)
            found |= {f"{path.stem}{BAR}{name}": text for name, text in _groups(texts).items()}
    return found


def write_reference(recording: Path, reference: Path, renamed: Renamed) -> None:
    """Writes the digests of a recording of before, a file a case."""
    for folder in sorted(path for path in recording.iterdir() if path.is_dir()):
        write_flat(reference / f"{folder.name}.json", case_digests(folder, renamed, back=False))


def _groups(texts: Flat) -> Flat:
    groups: dict[str, Flat] = {}
    for key, text in texts.items():
        groups.setdefault(key.split(BAR)[0], {})[key] = text
    return {name: _digest(inner) for name, inner in groups.items()}


def _digest(texts: Flat) -> str:
    return hashlib.sha256(json.dumps(texts, sort_keys=True).encode()).hexdigest()[:_LENGTH]
