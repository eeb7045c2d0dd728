"""The lines of a run's file that follow a mark, so that a run that goes on is read once."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import ValidationError

from wardround.core.errors import UserError
from wardround.core.line_chain import Ending
from wardround.core.record import ByteRange
from wardround.core.run_lines import checked_lines, sound_size
from wardround.core.run_reader import chain_of

Record = TypeVar("Record")


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in a file up to which it was read.

    Attributes:
        offset: the number of bytes before it.
        lines: the number of genuine lines before it.
        mac: the code of the last one; "" at the start.
    """

    offset: int = 0
    lines: int = 0
    mac: str = ""

    @property
    def ending(self) -> Ending | None:
        """The end of the file's chain at this place; None at the start."""
        return Ending(self.lines, self.mac) if self.mac else None


@dataclass(frozen=True, slots=True)
class NewLine(Generic[Record]):
    """A genuine line.

    Attributes:
        record: its record.
        text: its bytes.
        where: the bytes at which it was written.
        end: the place after it.
    """

    record: Record
    text: bytes
    where: ByteRange
    end: Mark


def lines_after(
    folder: Path, name: str, mark: Mark, parse: Callable[[bytes], Record]
) -> Iterator[NewLine[Record]]:
    """The genuine lines after a mark, without an incomplete or damaged end.

    Args:
        folder: the run.
        name: the file.
        mark: the end of the last line that was read.
        parse: reads a line.

    Raises:
        UserError: a line cannot be read.
    """
    path, chain = folder / name, chain_of(folder, name, mark.ending)
    for line in checked_lines(path, sound_size(path), chain, mark.offset):
        if not line.genuine:
            continue
        try:
            record = parse(line.text)
        except ValidationError as error:
            raise UserError(
                f"{path} cannot be read at byte {line.offset} ({error.errors()[0]['msg']}); remove "
                "that line and resume the run, which then repeats that trial."
            ) from None
        ending = chain.ending if chain else Ending(0, "")
        end = Mark(line.offset + len(line.text) + 1, ending.lines, ending.mac)
        yield NewLine(record, line.text, ByteRange(line.origin, len(line.text)), end)
