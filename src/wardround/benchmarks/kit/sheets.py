"""Sheets of comma-separated values that people fill in: written, and read with their lines."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from wardround.core.errors import UserError
from wardround.core.private_files import write_whole

_YES = {"yes", "y", "1", "true", "x", "是"}
_NO = {"no", "n", "0", "false", "否"}


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A row of a sheet.

    Attributes:
        path: the sheet.
        line: the line on which it ends.
        cells: its cells by column, without spaces around them.
    """

    path: Path
    line: int
    cells: Mapping[str, str]

    def fault(self, column: str, problem: str) -> UserError:
        """An error about a cell."""
        return UserError(f"{self.path}, line {self.line}, {column}: {problem}")

    def decision(self, column: str) -> bool | None:
        """The yes or no of a cell; None if it is empty.

        Raises:
            UserError: it is neither.
        """
        word = self.cells[column].lower()
        if not word:
            return None
        if word not in _YES | _NO:
            raise self.fault(column, f"{word!r} is neither yes nor no; write one, or nothing.")
        return word in _YES


def read_sheet(path: Path, columns: Sequence[str]) -> list[SheetRow]:
    """The rows of a sheet; columns may stand in any order, and further ones are left out.

    Raises:
        UserError: the file cannot be read, or a column is missing.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"The sheet {path} cannot be read: {error}.") from None
    reader = csv.DictReader(io.StringIO(text), restval="")
    missing = [name for name in columns if name not in (reader.fieldnames or ())]
    if missing:
        raise UserError(f"The sheet {path} lacks the column {missing[0]!r}; do not rename columns.")
    return [
        SheetRow(path, reader.line_num, {name: row[name].strip() for name in columns})
        for row in reader
    ]


def write_sheet(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Writes a sheet that only its owner may read, with a mark by which Excel knows UTF-8.

    Raises:
        UserError: the file exists.
    """
    if path.exists():
        raise UserError(f"{path} exists already; name a new file, or move it away.")
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows(rows)
    write_whole(path, text.getvalue().encode("utf-8-sig"))
