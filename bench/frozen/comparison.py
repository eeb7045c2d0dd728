"""Two recordings side by side: which cases differ, where first, and what was declared."""

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
    """A change that a slice states.

    Attributes:
        case: A pattern of the cases.
        file: A pattern of their files.
        key: A pattern of keys, as `*:0 | event *`.
        what: What changes.
        why: Why.
    """

    case: str
    what: str
    why: str
    file: str = "*"
    key: str = "*"

    def covers(self, case: str, file: str, key: str) -> bool:
        """True if a declaration covers the value."""
        matches = ((self.case, case), (self.file, file), (self.key, key))
        return all(fnmatch(given, pattern) for pattern, given in matches)


@dataclass(frozen=True)
class Renamed:
    """Names of before by those of now, and changes that are declared."""

    names: dict[str, str] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)
    declared: tuple[Declared, ...] = ()

    def back(self, found: Flat) -> Flat:
        """The texts with the names of before, in parts of keys and in whole values."""
        return {
            BAR.join(self.names.get(part, part) for part in key.split(BAR)): self._value(text)
            for key, text in found.items()
        }

    def without_declared(self, case: str, file: str, found: Flat) -> Flat:
        """The texts that have to be equal."""
        ours = [each for each in self.declared if fnmatch(case, each.case)]
        return {
            key: text
            for key, text in found.items()
            if not any(each.covers(case, file, key) for each in ours)
        }

    def _value(self, text: str) -> str:
        return self.values.get(text) or self.names.get(text, text)


@dataclass(frozen=True)
class Difference:
    """A value that is not the same."""

    file: str
    key: str
    before: str | None
    after: str | None

    def lines(self) -> list[str]:
        """The lines that show a difference: its place, and both texts from where they diverge."""
        at = max(_common(self.before or "", self.after or "") - 40, 0)
        shown = [_cut(self.before, at), _cut(self.after, at)]
        return [f"    {self.file}: {self.key}", f"      - {shown[0]}", f"      + {shown[1]}"]


def read_renamed(path: Path = FOLDER / "renamed.toml") -> Renamed:
    """The table in `renamed.toml`, inverted: it maps old names to new ones."""
    content = tomllib.loads(path.read_text())
    declared = tuple(Declared(**each) for each in content.get("declared", ()))
    return Renamed(_turned(content["names"]), _turned(content["values"]), declared)


def texts_of(folder: Path) -> Flat | None:
    """The texts of one file of a case; None if it is not there."""
    return read_flat(folder) if folder.is_file() else None


def differences(case: str, before: Path, after: Path, renamed: Renamed) -> Iterator[Difference]:
    """The undeclared differences of a case."""
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
    """Outcomes of trials on both sides, in cases with a declared change."""
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


def _turned(names: dict[str, str]) -> dict[str, str]:
    return {new: old for old, new in names.items()}


def _common(one: str, other: str) -> int:
    """The length of the common prefix of two texts."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _cut(text: str | None, at: int) -> str:
    if text is None:
        return "(missing)"
    return re.sub(r"\s+", " ", ("…" if at else "") + text[at : at + _SHOWN])
