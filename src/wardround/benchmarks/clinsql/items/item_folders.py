"""Folders of items as published: one each, by scenario, level and number."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, StrictInt, ValidationError

from wardround.benchmarks.clinsql.items.checks import read_check
from wardround.benchmarks.kit.published_files import first_problem, parse_json, read_file
from wardround.core.errors import UserError

SPLITS = ("test", "validation")
# The file that the project adds to an item that it makes.
ADDED = "item.json"
_LEVEL = re.compile(r"(easy|medium|hard)_level_queries")


class ItemAdditions(BaseModel):
    """The parts of `item.json` that count in a run.

    Attributes:
        anchor: the subject_id of the patient whom the question describes.
        checks: the check of a leaf, by verdict item.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    anchor: StrictInt | None = None
    checks: dict[str, Any] = Field(default_factory=dict)


def read_additions(folder: Path) -> ItemAdditions:
    """The additions to an item; none if the file is missing.

    Raises:
        UserError: the file has another form, or a check of no known form.
    """
    path = folder / ADDED
    if not path.exists():
        return ItemAdditions()
    try:
        added = ItemAdditions.model_validate(parse_json(read_file(path), ADDED))
    except ValidationError as error:
        raise UserError(f"{ADDED} is not an item ({first_problem(error)}); fix the file.") from None
    for item, check in added.checks.items():
        read_check(check, f"{ADDED}, {item}")
    return added


@dataclass(frozen=True, slots=True)
class ItemFolder:
    """The folder of an item.

    Attributes:
        path: the folder.
        scenario: its scenario, as published.
        level: easy, medium or hard.
        number: its name; unique within scenario and level only.
        split: test or validation; empty where the path names none.
    """

    path: Path
    scenario: str
    level: str
    number: str
    split: str = ""

    @property
    def id(self) -> str:
        """The item's id: scenario/level/number."""
        return f"{self.scenario}/{self.level}/{self.number}"


def item_folder(path: Path) -> ItemFolder | None:
    """An item's folder by the last parts of its path; None for another folder.

    >>> item_folder(Path("splits/test/Vital_Signs_Monitoring/easy_level_queries/040")).id
    'Vital_Signs_Monitoring/easy/040'
    """
    if len(path.parts) < 3:
        return None
    *before, scenario, level, number = path.parts
    match = _LEVEL.fullmatch(level)
    if match is None:
        return None
    split = before[-1] if before and before[-1] in SPLITS else ""
    return ItemFolder(path, scenario, match[1], number, split)


def item_folders(source: Path) -> Iterator[ItemFolder]:
    """The items below a folder, or the folder itself, in the order of their paths.

    Raises:
        UserError: there is no such folder.
    """
    if not source.is_dir():
        raise UserError(f"The folder {source} does not exist; check the path.")
    levels = sorted(path for path in source.resolve().rglob("*_level_queries") if path.is_dir())
    paths = [path for level in levels for path in sorted(level.iterdir()) if path.is_dir()]
    folders = map(item_folder, paths or [source.resolve()])
    yield from (folder for folder in folders if folder is not None)
