"""Output as flat text, a key for each value, without what differs from run to run."""

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

Flat: TypeAlias = dict[str, str]
"""Texts by key; a key's parts are parted by bars, and the first is what a digest is made of."""

BAR = " | "
_DIGITS = 9
_TEMPORARY = re.compile(r"/tmp/[\w.-]+")  # noqa: S108 - it is taken out of texts
_CLOCK = re.compile(r"\bseconds\b|wall.clock", re.IGNORECASE)
_DURATION = re.compile(r"\b\d+(\.\d+)? ?(s|ms|seconds|minutes)\b")
_TEACHING = re.compile(r"made questions (are|were) learnt|^\w[\w ]* …\s*$", re.IGNORECASE)
_TEST = re.compile(r"^(PASSED|FAILED|ERROR|XFAIL|XPASS) \S*?::(\w+)(?:\[(.*)\])?")


def text_lines(text: str, name: str, places: dict[str, str]) -> Flat:
    """A text line by line, without empty lines and trailing blanks."""
    lines = [line.rstrip() for line in plain(text, places).splitlines()]
    shown = [line for line in lines if line]
    return {f"{name}{BAR}{number:04}": line for number, line in enumerate(shown)}


def word_lines(text: str, places: dict[str, str], leave_out: str) -> Flat:
    """A text line by line as words: without rules, alignment and lines that are left out."""
    lines = [" ".join(line.split()) for line in text.splitlines() if not set(line) <= {"─", " "}]
    shown = [line for line in lines if not (leave_out and re.fullmatch(leave_out, line))]
    return text_lines("\n".join(shown), "out", places)


def error_lines(text: str, places: dict[str, str]) -> Flat:
    """The lines of standard error, without durations and cache-dependent lines."""
    lines = [line for line in text.splitlines() if not _TEACHING.search(line)]
    return text_lines(_DURATION.sub("{duration}", "\n".join(lines)), "err", places)


def json_values(text: str, places: dict[str, str]) -> Flat:
    """Each value of a JSON document by its path, without notes and times that were measured."""
    return {
        BAR.join(path) or "value": plain(value, places)
        for path, value in _leaves(json.loads(text), ())
        if not any(_left_out(part) for part in path)
    }


def json_lines(text: str, places: dict[str, str]) -> Flat:
    """The same of a file with a JSON document on each line."""
    return json_values(f"[{','.join(text.splitlines())}]", places)


def table_cells(text: str, places: dict[str, str]) -> Flat:
    """The cells of a report: table, row, column."""
    content = json.loads(text)
    tables = content.pop("tables", {})
    return json_values(json.dumps({**content, **tables}), places)


def test_results(text: str) -> Flat:
    """The outcome of each test, independent of its file."""
    found = (_TEST.match(line) for line in text.splitlines())
    return {f"{each[2]}{BAR}{each[3] or ''}": each[1] for each in found if each}


def digest(content: bytes) -> str:
    """A digest with the length, which tells more when two differ."""
    return f"{hashlib.sha256(content).hexdigest()} {len(content)} bytes"


def written(value: Any) -> str:
    """A value as text; a text as it is, anything else as JSON with floats rounded."""
    if isinstance(value, str):
        return value
    return json.dumps(_rounded(value), sort_keys=True, ensure_ascii=False)


def plain(text: str, places: dict[str, str]) -> str:
    """The text with names in place of folders of this machine."""
    for place, name in places.items():
        text = text.replace(place, name)
    return _TEMPORARY.sub("{temporary}", text)


def write_flat(path: Path, found: Flat) -> None:
    """Writes texts by key, a key a line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found, indent=0, ensure_ascii=False, sort_keys=True) + "\n")


def read_flat(path: Path) -> Flat:
    """The inverse of `write_flat`."""
    found: Flat = json.loads(path.read_text())
    return found


def _leaves(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """All values that are no containers; an empty container counts as one."""
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            yield from _leaves(inner, (*path, str(name)))
    elif isinstance(value, list) and value:
        for number, inner in enumerate(value):
            yield from _leaves(inner, (*path, _place(inner, number)))
    else:
        yield path, written(value)


def _place(value: Any, number: int) -> str:
    """The key of a list's member: what it is about if it says so, else its number."""
    name = value.get("benchmark") if isinstance(value, dict) else None
    return name if isinstance(name, str) else f"{number:04}"


def _left_out(part: str) -> bool:
    return part == "note" or bool(_CLOCK.search(part))


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}")
    if isinstance(value, dict):
        return {name: _rounded(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_rounded(inner) for inner in value]
    return value
