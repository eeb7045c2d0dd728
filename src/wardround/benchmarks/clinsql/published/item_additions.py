"""Reads `item.json`, which made items add to the published form."""

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, StrictInt, ValidationError

from wardround.benchmarks.clinsql.checks.model import read_check
from wardround.benchmarks.kit.published_files import first_problem, parse_json, read_file
from wardround.core.errors import UserError

# The file that the project adds to an item that it makes.
ADDED = "item.json"


class ItemAdditions(BaseModel):
    """The parts of `item.json` that count in a run.

    Attributes:
        anchor: The subject_id of the patient whom the question describes.
        checks: The check of a leaf, by verdict item.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    anchor: StrictInt | None = None
    checks: dict[str, Any] = Field(default_factory=dict)


def read_additions(folder: Path) -> ItemAdditions:
    """The additions to an item; none if the file is missing.

    Raises:
        UserError: The file has another form, or a check of no known form.
    """
    path = folder / ADDED
    if not path.exists():
        return ItemAdditions()
    try:
        added = ItemAdditions.model_validate(parse_json(read_file(path), ADDED))
    except ValidationError as error:
        raise UserError(f"{ADDED} is no item ({first_problem(error)}); fix the file.") from None
    for item, check in added.checks.items():
        read_check(check, f"{ADDED}, {item}")
    return added
