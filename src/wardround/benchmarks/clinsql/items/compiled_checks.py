"""Checks that a language model compiled, as they are stored beside an item for review."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import orjson
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from wardround.benchmarks.clinsql.items.checks import LeafCheck
from wardround.benchmarks.kit.published_files import parse_json, read_file
from wardround.core.errors import UserError
from wardround.core.private_files import write_whole

READINGS = "checks.json"


class Reading(BaseModel):
    """A leaf's sentence as a model compiled it.

    Attributes:
        requirement: the sentence; the check is used only while the leaf has this one.
        by: the model.
        check: its check; None if there is none.
        problem: the reason why there is none.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
    requirement: str
    by: str
    check: Annotated[LeafCheck | None, Field()] = None
    problem: str = ""


_READINGS: TypeAdapter[dict[str, Reading]] = TypeAdapter(dict[str, Reading])


def load_readings(folder: Path) -> Mapping[str, Reading]:
    """The readings beside an item, by verdict item; none if it has no such file.

    Raises:
        UserError: the file has another form.
    """
    path = folder / READINGS
    if not path.exists():
        return {}
    try:
        return _READINGS.validate_python(parse_json(read_file(path), READINGS))
    except ValidationError as error:
        problem = error.errors()[0]
        field = ".".join(map(str, problem["loc"]))
        reason = problem["msg"]
        raise UserError(
            f"{READINGS} has another form at {field} ({reason}); mend it, or delete the file and "
            "compile the checks again."
        ) from None


def write_readings(folder: Path, readings: Mapping[str, Reading]) -> None:
    """Writes the readings beside an item."""
    content = {item: dict(_stored(reading)) for item, reading in readings.items()}
    write_whole(folder / READINGS, orjson.dumps(content, option=orjson.OPT_INDENT_2) + b"\n")


def _stored(reading: Reading) -> Iterator[tuple[str, Any]]:
    yield "requirement", reading.requirement
    yield "by", reading.by
    yield "check", None if reading.check is None else reading.check.stored()
    if reading.problem:
        yield "problem", reading.problem
