"""Compares two recordings, apart from renamed texts and declared changes."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

from bench.frozen.cases import FOLDER
from bench.frozen.flat_text import BAR, Flat, read_flat
from bench.frozen.runs import outcomes

MEASURED = "measured.json"
_SHOWN = 200


@dataclass(frozen=True)
class Declared:
    """A declared change.

    Attributes:
        case: a pattern of cases.
        file: a pattern of the cases' files.
        key: a pattern of keys, such as `*:0 | event *`.
        what: the change.
        why: its reason.
    """

    case: str
    what: str
    why: str
    file: str = "*"
    key: str = "*"

    def covers(self, case: str, file: str, key: str) -> bool:
        """True if the declaration covers a value."""
        matches = ((self.case, case), (self.file, file), (self.key, key))
        return all(fnmatch(name, pattern) for pattern, name in matches)


@dataclass(frozen=True)
class Renamed:
    """Earlier names by current ones, and declared changes."""

    names: dict[str, str] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)
    declared: tuple[Declared, ...] = ()

    def back(self, texts: Flat) -> Flat:
        """Maps current names in keys and values back to the earlier names."""
        return {
            BAR.join(self.names.get(part, part) for part in key.split(BAR)): self._value(text)
            for key, text in texts.items()
        }

    def without_declared(self, case: str, file: str, texts: Flat) -> Flat:
        """Returns the texts that no declaration of the case covers."""
        declared = [change for change in self.declared if fnmatch(case, change.case)]
        return {
            key: text
            for key, text in texts.items()
            if not any(change.covers(case, file, key) for change in declared)
        }

    def _value(self, text: str) -> str:
        return self.values.get(text) or self.names.get(text, text)


@dataclass(frozen=True)
class Difference:
    """A value that differs."""

    file: str
    key: str
    before: str | None
    after: str | None

    def lines(self) -> list[str]:
        """Formats a difference: its key, and both texts from where they diverge."""
        at = max(_common(self.before or "", self.after or "") - 40, 0)
        shown = [_cut(self.before, at), _cut(self.after, at)]
        return [f"    {self.file}: {self.key}", f"      - {shown[0]}", f"      + {shown[1]}"]


def read_renamed(path: Path = FOLDER / "renamed.toml") -> Renamed:
    """Reads `renamed.toml`, inverting its tables of old to new names."""
    content = tomllib.loads(path.read_text())
    declared = tuple(Declared(**entry) for entry in content.get("declared", ()))
    return Renamed(_inverted(content["names"]), _inverted(content["values"]), declared)


def texts_of(folder: Path) -> Flat | None:
    """Reads the texts of a file of a case; None if it is missing."""
    return read_flat(folder) if folder.is_file() else None


def differences(case: str, before: Path, after: Path, renamed: Renamed) -> Iterator[Difference]:
    """Yields the undeclared differences of a case."""
    for file in sorted(_files(before) | _files(after)):
        old, new = texts_of(before / file), texts_of(after / file)
        if old is None or new is None:
            missing = "the file is missing"
            if renamed.without_declared(case, file, {"": missing}):
                there = "the file is there"
                yield Difference(
                    file, "", missing if old is None else there, missing if new is None else there
                )
            continue
        old = renamed.without_declared(case, file, old)
        new = renamed.without_declared(case, file, renamed.back(new))
        for key in sorted(old.keys() | new.keys()):
            if old.get(key) != new.get(key):
                yield Difference(file, key, old.get(key), new.get(key))


def measured(case: str, before: Path, after: Path, renamed: Renamed) -> Iterator[str]:
    """Yields lines on outcomes of trials in both recordings, for cases with declared changes."""
    for declared in renamed.declared:
        if not fnmatch(case, declared.case):
            continue
        yield f"    declared: {declared.what} ({declared.why})"
        for file in sorted(_files(before) & _files(after)):
            ends = [outcomes(read_flat(folder / file)) for folder in (before, after)]
            if any(ends):
                yield f"      {file}: {ends[0]} before, {ends[1]} after"


def _files(folder: Path) -> set[str]:
    return {path.name for path in folder.glob("*.json")} - {MEASURED}


def _inverted(names: dict[str, str]) -> dict[str, str]:
    return {new: old for old, new in names.items()}


def _common(first: str, second: str) -> int:
    """The length of the common prefix of two texts."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(first), len(second)))


def _cut(text: str | None, at: int) -> str:
    if text is None:
        return "(missing)"
    return re.sub(r"\s+", " ", ("…" if at else "") + text[at : at + _SHOWN])
