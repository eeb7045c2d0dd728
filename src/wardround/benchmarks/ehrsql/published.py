"""The published files of EHRSQL 1.5 and of EHRSQL 2024, as JSON."""

import ast
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import BaseModel, ConfigDict, ValidationError

from wardround.benchmarks.kit.published_files import first_problem, read_json
from wardround.core.errors import UserError

DATA, LABEL, ANSWER = "data.json", "label.json", "answer.json"

Rows: TypeAlias = tuple[tuple[str, ...], ...]


class Tagged(BaseModel):
    """A question in either published form; EHRSQL 2024 has id and question only.

    `current_time` is ours and optional: when the records end that the question asks about.
    """

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)

    id: str
    question: str
    db_id: str = ""
    query: str | None = None
    template: str = ""
    q_tag: str = ""
    t_tag: list[str] | None = None
    importance: str | None = None
    department: list[str] | str | None = None
    current_time: str | None = None


class Data(BaseModel):
    """`data.json` of EHRSQL 2024; `current_time` and `database` are ours and optional."""

    data: list[dict[str, Any]]
    current_time: str | None = None
    database: str = ""

    def shared(self) -> dict[str, Any]:
        """Defaults of the questions."""
        return {"db_id": self.database, "current_time": self.current_time}


def data_of(path: Path) -> Data:
    """The questions of EHRSQL 2024."""
    try:
        return Data.model_validate(read_json(path))
    except ValidationError as error:
        problem = first_problem(error)
        raise UserError(
            f"{path} is no {DATA} of EHRSQL 2024 ({problem}); check the file."
        ) from None


def texts_by_id(path: Path) -> dict[str, str] | None:
    """The texts of a file by id; None if there is no such file."""
    if not path.is_file():
        return None
    found = read_json(path)
    if not isinstance(found, dict) or not all(isinstance(text, str) for text in found.values()):
        raise UserError(f"{path} is not an object of texts by question id; check the file.")
    return found


def answer_rows(written: str, path: Path, id: str) -> Rows:
    """An answer's rows, written as a Python list of lists of texts."""
    try:
        return tuple(tuple(map(str, row)) for row in ast.literal_eval(written))
    except (ValueError, SyntaxError, TypeError):
        raise UserError(
            f"{path}: the answer of {id} is no list of rows; restore the file as published."
        ) from None


def only_file(folder: Path) -> Path:
    """The only JSON file of a folder of EHRSQL 1.5, apart from `tables.json`."""
    found = [path for path in sorted(folder.glob("*.json")) if path.name != "tables.json"]
    if len(found) != 1:
        raise UserError(
            f"{folder} has neither {DATA} nor exactly one other JSON file; name the file of "
            "EHRSQL 1.5, or the folder of EHRSQL 2024."
        )
    return found[0]
