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
# A spreadsheet reads a cell that begins with one of these as a formula; an apostrophe makes it
# text.
_FORMULA = ("=", "+", "-", "@")
# Excel cuts longer cells off.
_LONGEST = 32_000
# German and French spreadsheets write semicolons; pasted cells have tabs.
_DELIMITERS = ",;\t"


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A row of a sheet.

    Attributes:
        path: the sheet.
        line: the line of the file on which it ends.
        number: its number in a spreadsheet program, where the header is row 1.
        cells: its cells by column, without spaces around them.
    """

    path: Path
    line: int
    number: int
    cells: Mapping[str, str]

    def fault(self, column: str, problem: str) -> UserError:
        """An error about a cell."""
        return UserError(f"{self.path}, line {self.line} (row {self.number}), {column}: {problem}")

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

    Cells may be separated by commas, semicolons or tabs.

    Raises:
        UserError: the file cannot be read, or a column is missing.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        return _rows(path, text, columns)
    except UnicodeDecodeError:
        raise UserError(f"The sheet {path} is not in UTF-8; save it as CSV UTF-8.") from None
    except OSError as error:
        message = f"The sheet {path} cannot be read ({error.strerror}); check the path."
        raise UserError(message) from None
    except csv.Error as error:
        message = f"The sheet {path} cannot be read ({error}); save it as CSV again."
        raise UserError(message) from None


def _rows(path: Path, text: str, columns: Sequence[str]) -> list[SheetRow]:
    readers = [
        csv.DictReader(io.StringIO(text), restval="", delimiter=each) for each in _DELIMITERS
    ]
    reader = max(readers, key=lambda each: len({*columns} & {*(each.fieldnames or ())}))
    missing = [name for name in columns if name not in (reader.fieldnames or ())]
    if missing:
        raise UserError(f"The sheet {path} lacks the column {missing[0]!r}; do not rename columns.")
    return [
        SheetRow(path, reader.line_num, number, {name: _text(row[name]) for name in columns})
        for number, row in enumerate(reader, start=2)
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
    writer.writerows([_cell(value) for value in row] for row in rows)
    write_whole(path, text.getvalue().encode("utf-8-sig"))


def _cell(value: object) -> object:
    """A cell that spreadsheet programs show as it is.

    >>> _cell("- two items")
    "'- two items"
    """
    if not isinstance(value, str):
        return value
    if len(value) > _LONGEST:
        value = f"{value[:_LONGEST]} … ({len(value)} characters, cut here)"
    return f"'{value}" if _is_formula(value) else value


def _text(cell: str) -> str:
    """The text of a cell that `_cell` made or a person wrote."""
    text = cell.strip()
    return text[1:] if text.startswith("'") and _is_formula(text) else text


def _is_formula(text: str) -> bool:
    return text.lstrip("'").startswith(_FORMULA)
