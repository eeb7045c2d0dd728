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

    wardround adds the optional `current_time`, the end of the records that are asked about.
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
    """`data.json` of EHRSQL 2024; wardround adds the optional `current_time` and `database`."""

    data: list[dict[str, Any]]
    current_time: str | None = None
    database: str = ""

    def shared(self) -> dict[str, Any]:
        """Returns the fields that all questions of the file share."""
        return {"db_id": self.database, "current_time": self.current_time}


def data_of(path: Path) -> Data:
    """Reads the questions of EHRSQL 2024.

    Raises:
        UserError: the file is missing, or is not in the published form.
    """
    try:
        return Data.model_validate(read_json(path))
    except ValidationError as error:
        problem = first_problem(error)
        raise UserError(
            f"{path} is no {DATA} of EHRSQL 2024 ({problem}); check the file."
        ) from None


def texts_by_id(path: Path) -> dict[str, str] | None:
    """Reads the texts of a file by id; None if there is no such file.

    Raises:
        UserError: the file is not a JSON object of texts.
    """
    if not path.is_file():
        return None
    texts = read_json(path)
    if not isinstance(texts, dict) or not all(isinstance(text, str) for text in texts.values()):
        raise UserError(f"{path} is not an object of texts by question id; check the file.")
    return texts


def answer_rows(text: str, path: Path, id: str) -> Rows:
    """Parses an answer's rows from the text of a Python list of lists.

    Raises:
        UserError: the text is not such a list.
    """
    try:
        return tuple(tuple(map(str, row)) for row in ast.literal_eval(text))
    except (ValueError, SyntaxError, TypeError):
        raise UserError(
            f"{path}: the answer of {id} is not a list of rows; restore the file as published."
        ) from None


def only_file(folder: Path) -> Path:
    """Finds the one JSON file of a folder of EHRSQL 1.5, `tables.json` aside.

    Raises:
        UserError: there is none, or more than one.
    """
    files = [path for path in sorted(folder.glob("*.json")) if path.name != "tables.json"]
    if len(files) != 1:
        raise UserError(
            f"{folder} has neither {DATA} nor exactly one other JSON file; name the file of "
            "EHRSQL 1.5, or the folder of EHRSQL 2024."
        )
    return files[0]
