"""The fields of an item as files in the published form, and back."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wardround.annotation.clinsql.words import MAPPING, store_form
from wardround.benchmarks.clinsql.items.item import LEVELS, SCENARIOS
from wardround.benchmarks.clinsql.items.item_folders import ADDED, ItemFolder, item_folder
from wardround.core.errors import UserError
from wardround.core.private_files import make_folder, write_whole

_FILES = {
    "question": "query_{}.txt",
    "sql": "sql_{}.sql",
    "sql_rubric": "sql_rubric_tree.json",
    "results_rubric": "results_rubric_tree.json",
}


def folders(source: Path) -> Iterator[ItemFolder]:
    """The items below a folder, those without files too, in the order of their paths."""
    for level in sorted(source.rglob("*_level_queries")):
        if level.is_dir():
            read_folders = (item_folder(path) for path in sorted(level.iterdir()) if path.is_dir())
            yield from (folder for folder in read_folders if folder is not None)


def new_folder(source: Path, scenario: str, level: str) -> ItemFolder:
    """Makes the folder of a new item with the next free number.

    Raises:
        UserError: There is no such scenario or level.
    """
    if scenario not in SCENARIOS or level not in LEVELS:
        raise UserError("Choose a scenario and a level of the list.")
    parent = source / scenario / f"{level}_level_queries"
    make_folder(parent)
    numbers = [int(path.name) for path in parent.iterdir() if path.name.isdigit()]
    path = parent / f"{max(numbers, default=0) + 1:03}"
    make_folder(path)
    folder = item_folder(path)
    assert folder is not None  # noqa: S101  its path was made in the published form
    return folder


def read_texts(folder: ItemFolder) -> dict[str, str]:
    """The text of every field; "" for a missing one."""
    texts = {name: _read(folder.path / file.format(folder.number)) for name, file in _FILES.items()}
    added = _added(folder)
    mapping = added.get("mapping")
    for form in store_form().fields:
        if form.name.startswith(MAPPING):
            part = mapping.get(form.name.removeprefix(MAPPING)) if isinstance(mapping, dict) else ""
            texts[form.name] = _lines(part)
    anchor = added.get("anchor")
    return {**texts, "anchor": "" if anchor is None else str(anchor)}


def write_field(folder: ItemFolder, field: str, text: str) -> None:
    """Writes a field's file; an empty text of a file removes it.

    Raises:
        UserError: The text cannot be the field's.
    """
    if field in _FILES:
        path = folder.path / _FILES[field].format(folder.number)
        if text.strip():
            write_whole(path, text.rstrip().encode() + b"\n")
        else:
            path.unlink(missing_ok=True)
        return
    added = _added(folder)
    if field == "anchor":
        added["anchor"] = int(text) if text.strip() else None
    else:
        mapping = added.get("mapping")
        part = {field.removeprefix(MAPPING): [line for line in text.splitlines() if line.strip()]}
        added["mapping"] = {**(mapping if isinstance(mapping, dict) else {}), **part}
    write_whole(folder.path / ADDED, json.dumps(added, indent=2, ensure_ascii=False).encode())


def checked_text(field: str, text: str) -> str:
    """A text as it is stored, with line feeds only.

    Raises:
        UserError: It cannot be the field's.
    """
    clean = text.replace("\r\n", "\n").replace("\r", "\n")
    if field == "anchor" and clean.strip() and not clean.strip().isdecimal():
        raise UserError("The anchor patient is a subject_id, a whole number; correct it.")
    return clean.strip() if field == "anchor" else clean


def read_result(folder: ItemFolder) -> str:
    """The stored result as CSV; "" if there is none."""
    return _read(folder.path / f"result_{folder.number}.csv", strip=False)


def write_result(folder: ItemFolder, csv: str) -> None:
    """Stores a result."""
    write_whole(folder.path / f"result_{folder.number}.csv", csv.encode())


def moved(source: Path, folder: ItemFolder, level: str) -> ItemFolder:
    """Moves an item to another level, under the next free number there."""
    if level == folder.level:
        return folder
    target = new_folder(_base(source, folder), folder.scenario, level)
    for path in sorted(folder.path.iterdir()):
        name = path.name.replace(f"_{folder.number}.", f"_{target.number}.")
        path.rename(target.path / name)
    folder.path.rmdir()
    return target


def _base(source: Path, folder: ItemFolder) -> Path:
    """The folder of scenarios that an item lies in."""
    return folder.path.parents[2] if len(folder.path.parents) > 2 else source


def _added(folder: ItemFolder) -> dict[str, Any]:
    text = _read(folder.path / ADDED)
    try:
        content = json.loads(text) if text else {}
    except json.JSONDecodeError:
        raise UserError(f"{ADDED} of {folder.id} is not valid JSON; fix the file.") from None
    if not isinstance(content, dict):
        raise UserError(f"{ADDED} of {folder.id} is not a JSON object; fix the file.")
    return content


def _lines(part: Any) -> str:
    if isinstance(part, list):
        return "\n".join(map(_cell, part))
    if isinstance(part, dict):
        return "\n".join(f"{name}: {_cell(value)}" for name, value in part.items())
    return "" if part is None else _cell(part)


def _cell(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _read(path: Path, *, strip: bool = True) -> str:
    if not path.exists():
        return ""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise UserError(f"{path.name} is not UTF-8 text; save it as UTF-8.") from None
    return text.strip() if strip else text
