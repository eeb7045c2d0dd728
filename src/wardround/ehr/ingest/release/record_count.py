"""Record count of a CSV file, independent of the reader it verifies."""

import csv
import io
import re
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import BinaryIO

from wardround.ehr.ingest.release.release_files import TableFile, unpacked

_BLOCK = 1 << 20
_BLANK_LINE = re.compile(rb"^\r?\n", re.MULTILINE)


class RecordCount:
    """The number of records of a file without header and blank lines.

    Line ends within quotes do not count. Assumes that quotes only enclose fields or are doubled
    within them; `count_carefully` handles all other files.

    Attributes:
        records: Records counted so far.
        share: Share of the file read, 0 to 1.
        nul: True if a NUL byte was found.
        stopped: Set from another thread to end the count early.
    """

    def __init__(self, source: TableFile):
        self._source = source
        self.records = 0
        self.share = 0.0
        self.nul = False
        self.stopped = False

    def run(self) -> int:
        """Count the whole file.

        Raises:
            OSError, EOFError, zlib.error: If the file cannot be read completely.
        """
        with self._source.path.open("rb") as raw:
            stream = unpacked(raw, packed=self._source.packed)
            stream.readline()
            quoted = False
            for lines in _whole_lines(stream):
                if self.stopped:
                    break
                self.records += _ends(lines, quoted=quoted)
                quoted ^= lines.count(b'"') % 2 == 1
                self.nul |= b"\0" in lines
                self.share = raw.tell() / max(self._source.bytes, 1)
            # An unclosed quote makes the rest of the file one record.
            self.records += quoted
        return self.records

    def expected(self) -> float:
        """Estimated number of records of the whole file."""
        return self.records / self.share if self.share else 0.0


def count_carefully(source: TableFile) -> int:
    """The number of records, treating quotes in unquoted fields as text; slow."""
    csv.field_size_limit(sys.maxsize)
    with source.path.open("rb") as raw:
        stream = unpacked(raw, packed=source.packed)
        text = io.TextIOWrapper(stream, encoding="latin-1", newline="")
        return sum(bool(record) for record in csv.reader(text)) - 1


def _whole_lines(stream: BinaryIO) -> Iterator[bytes]:
    """The content in blocks of whole lines, adding a final line end if missing."""
    rest = b""
    while block := stream.read(_BLOCK):
        head, end, tail = (rest + block).rpartition(b"\n")
        rest = tail
        if end:
            yield head + end
    if rest:
        yield rest + b"\n"


def _ends(lines: bytes, *, quoted: bool) -> int:
    """The number of line ends outside quotes, without blank lines.

    Args:
        lines: Whole lines.
        quoted: True if they begin within quotes.
    """
    outside = lines
    if quoted or b'"' in lines:
        # A quote replaces each quoted text, so that a line of nothing else is not blank.
        outside = b'"' * quoted + b'"'.join(lines.split(b'"')[quoted::2])
    return outside.count(b"\n") - _blank_lines(outside)


def _blank_lines(lines: bytes) -> int:
    # The search by a regular expression is slow, and few files have blank lines.
    if lines.startswith((b"\n", b"\r\n")) or b"\n\n" in lines or b"\n\r\n" in lines:
        return sum(1 for _ in _BLANK_LINE.finditer(lines))
    return 0


def physical_lines(source: TableFile, spans: Iterable[tuple[int, int]]) -> Iterator[int]:
    """The first line of each of some records, from 1; 0 past the end of the file.

    Args:
        source: The file; its header is line 1.
        spans: Record numbers, ascending from 1, each with its number of lines if its quotes are
            broken, else 0.
    """
    with source.path.open("rb") as raw:
        lines = enumerate(unpacked(raw, packed=source.packed), start=1)
        next(lines, None)
        record = start = 0
        for number, span in spans:
            while record < number:
                record += 1
                start = _next_record(lines, span if record == number else 0)
            yield start


def _next_record(lines: Iterator[tuple[int, bytes]], span: int) -> int:
    """Skip one record; returns its first line."""
    start, line = next((each for each in lines if each[1].strip(b"\r\n")), (0, b""))
    if span:
        deque(islice(lines, span - 1), maxlen=0)
        return start
    quotes = line.count(b'"')
    while quotes % 2 and (more := next(lines, None)):
        quotes += more[1].count(b'"')
    return start
