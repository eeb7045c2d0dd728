"""The review file: a candidate a line, which a person accepts or strikes (EHRSQL, 3.3)."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from difflib import get_close_matches
from pathlib import Path

from wardround.authoring.ehrsql.paraphrases.template_wordings import all_asked
from wardround.core.errors import UserError

DECISIONS = ("", "accept", "strike")
_SHOWN = 10


@dataclass(frozen=True)
class Line:
    """A candidate.

    Attributes:
        decision: A person's: "accept", "strike", or "" where there is none yet.
        template: The id of its template.
        rank: Its place among those of one asking that were not pruned, 1 the best.
        natural: How natural the judge finds it, from 1 to 5.
        distance: That to the wording most like it, of those that go before it.
        reason: The step that pruned it and why, as "words: loses: after"; "" where none did.
    """

    decision: str
    template: str
    wording: str
    rank: str = ""
    natural: str = ""
    distance: str = ""
    reason: str = ""


COLUMNS = tuple(field.name for field in fields(Line))


def read_review(path: Path) -> dict[int, Line]:
    """The candidates of a review file by their line in it.

    Raises:
        UserError: If there is no such file, or lines of it are wrong; they are named.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise UserError(
            f"{path} is not text in UTF-8; save it so, as tab-separated text."
        ) from None
    except OSError as error:
        raise UserError(
            f"The review file {path} cannot be read ({error.strerror}); name one that is there."
        ) from None
    lines = dict(_read(path, text))
    refuse(path, ((number, _fault(line)) for number, line in lines.items()))
    return lines


def begin_review(path: Path) -> list[Line]:
    """The candidates of a review file, which is made if there is none.

    Raises:
        UserError: If it cannot be written, or lines of it are wrong; they are named.
    """
    if not path.exists():
        _replace(path, _written([COLUMNS]))
    return list(read_review(path).values())


def add_to_review(path: Path, lines: Iterable[Line]) -> None:
    """Adds candidates at the end of a review file; what is there stays as it is, byte for byte.

    The file is whole at any time: another takes its place at once.

    Raises:
        UserError: If it cannot be written.
    """
    there = path.read_bytes()
    end = b"" if there.endswith(b"\n") else b"\n"
    _replace(path, there + end + _written(astuple(line) for line in lines))


def refuse(path: Path, faults: Iterable[tuple[int, str]]) -> None:
    """Ends with an error if lines have faults.

    Raises:
        UserError: Naming each line and what is wrong with it, where that is not "".
    """
    wrong = [f"{path}, line {number}: {fault}." for number, fault in faults if fault]
    if wrong:
        more = [f"And {len(wrong) - _SHOWN} more lines."] if len(wrong) > _SHOWN else []
        raise UserError("\n".join([*wrong[:_SHOWN], *more]))


def _read(path: Path, text: str) -> Iterator[tuple[int, Line]]:
    rows = csv.reader(io.StringIO(text, newline=""), dialect="excel-tab", strict=True)
    try:
        if tuple(next(rows, ())) != COLUMNS:
            raise UserError(
                f"{path} is no review file: its first line does not name the columns "
                f"{', '.join(COLUMNS)}; name another file."
            )
        for row in rows:
            if any(row):
                yield rows.line_num, _line(path, rows.line_num, row)
    except csv.Error as error:
        raise UserError(f"{path}, line {rows.line_num}: {error}; mend the quotes.") from None


def _line(path: Path, number: int, row: Sequence[str]) -> Line:
    if not 3 <= len(row) <= len(COLUMNS):
        refuse(path, [(number, f"has {len(row)} columns where {len(COLUMNS)} belong")])
    decision, *others = (cell.strip() for cell in row)
    return Line(decision.lower(), *others)


def _fault(line: Line) -> str:
    if line.decision not in DECISIONS:
        return f"{line.decision!r} is no decision; write accept or strike, or nothing"
    if line.template not in all_asked():
        return f"there is no template {line.template!r}{near_template(line.template)}"
    return ""


def near_template(id: str) -> str:
    """Which templates may have been meant."""
    near = get_close_matches(id, all_asked())
    return f" (is it {' or '.join(near)}?)" if near else ""


def _written(rows: Iterable[Sequence[str]]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, dialect="excel-tab", lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def _replace(path: Path, content: bytes) -> None:
    beside = path.parent / f"{path.name}.unfinished"
    try:
        beside.write_bytes(content)
        beside.replace(path)
    except OSError as error:
        raise UserError(
            f"The review file {path} cannot be written ({error.strerror}); name another one."
        ) from None
    finally:
        beside.unlink(missing_ok=True)
