"""Converts output to flat text, a key for each value, without values that vary between runs."""

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

Flat: TypeAlias = dict[str, str]
"""Texts by key; bars separate a key's parts, and digests are made by the first part."""

BAR = " | "
_DIGITS = 9
_TEMPORARY = re.compile(r"/tmp/[\w.-]+")  # noqa: S108 - a pattern to remove from texts
_CLOCK = re.compile(r"\bseconds\b|wall.clock", re.IGNORECASE)
_DURATION = re.compile(r"\b\d+(\.\d+)? ?(s|ms|seconds|minutes)\b")
# Tells runs of one name apart.
_STARTED = re.compile(r"\bstarted \d{4}-\d\d-\d\dT[\d:+]+")
_TEACHING = re.compile(r"made questions (are|were) learnt|^\w[\w ]* …\s*$", re.IGNORECASE)
_TEST = re.compile(r"^(PASSED|FAILED|ERROR|XFAIL|XPASS) \S*?::(\w+)(?:\[(.*)\])?")


def text_lines(text: str, name: str, places: dict[str, str]) -> Flat:
    """Splits a text into lines, without empty lines and trailing blanks."""
    lines = [line.rstrip() for line in plain(text, places).splitlines()]
    shown = [line for line in lines if line]
    return {f"{name}{BAR}{number:04}": line for number, line in enumerate(shown)}


def word_lines(text: str, places: dict[str, str], leave_out: str) -> Flat:
    """Splits a text into lines of words, without rules, alignment and left-out lines."""
    lines = [" ".join(line.split()) for line in text.splitlines() if not set(line) <= {"─", " "}]
    shown = [line for line in lines if not (leave_out and re.fullmatch(leave_out, line))]
    return text_lines("\n".join(shown), "out", places)


def error_lines(text: str, places: dict[str, str]) -> Flat:
    """Splits standard error into lines, without durations and cache-dependent lines."""
    lines = [line for line in text.splitlines() if not _TEACHING.search(line)]
    return text_lines(_DURATION.sub("{duration}", "\n".join(lines)), "err", places)


def json_values(text: str, places: dict[str, str]) -> Flat:
    """Flattens a JSON document by path, without notes and measured times."""
    return {
        BAR.join(path) or "value": plain(value, places)
        for path, value in _leaves(json.loads(_STARTED.sub("started {time}", text)), ())
        if not any(_left_out(part) for part in path)
    }


def json_lines(text: str, places: dict[str, str]) -> Flat:
    """Flattens JSON Lines like `json_values`."""
    return json_values(f"[{','.join(text.splitlines())}]", places)


def table_cells(text: str, places: dict[str, str]) -> Flat:
    """Flattens a report's tables by table, row and column."""
    content = json.loads(text)
    tables = content.pop("tables", {})
    return json_values(json.dumps({**content, **tables}), places)


def test_results(text: str) -> Flat:
    """Returns the outcome of each test by name, without the test's file."""
    matches = (_TEST.match(line) for line in text.splitlines())
    return {f"{test[2]}{BAR}{test[3] or ''}": test[1] for test in matches if test}


def digest(content: bytes) -> str:
    """Returns a digest with the length, which helps when two differ."""
    return f"{hashlib.sha256(content).hexdigest()} {len(content)} bytes"


def written(value: Any) -> str:
    """Formats a value: texts unchanged, anything else as JSON with rounded floats."""
    if isinstance(value, str):
        return value
    return json.dumps(_rounded(value), sort_keys=True, ensure_ascii=False)


def plain(text: str, places: dict[str, str]) -> str:
    """Replaces this machine's folders in a text by placeholders."""
    for place, name in places.items():
        text = text.replace(place, name)
    return _TEMPORARY.sub("{temporary}", text)


def write_flat(path: Path, texts: Flat) -> None:
    """Writes texts by key, one key per line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(texts, indent=0, ensure_ascii=False, sort_keys=True) + "\n")


def read_flat(path: Path) -> Flat:
    """Reads texts written by `write_flat`."""
    texts: Flat = json.loads(path.read_text())
    return texts


def _leaves(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """All values that are not containers; empty containers count as values."""
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            yield from _leaves(inner, (*path, str(name)))
    elif isinstance(value, list) and value:
        for number, inner in enumerate(value):
            yield from _leaves(inner, (*path, _place(inner, number)))
    else:
        yield path, written(value)


def _place(value: Any, number: int) -> str:
    """The key of a list's member: its benchmark if it has one, otherwise its number."""
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
