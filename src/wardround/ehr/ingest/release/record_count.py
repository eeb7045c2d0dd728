"""Counts the records of a CSV file on its own, beside the reader that is to be checked."""

import csv
import io
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import BinaryIO

import numpy as np

from wardround.ehr.ingest.release.layout import Source, unpacked

_BLOCK = 1 << 20
_LINE_FEED, _CARRIAGE_RETURN, _QUOTE = b'\n\r"'


class RecordCount:
    """How many records a file has below its header; blank lines are none.

    A line end within quotes ends no record. Every quote counts, which is right wherever quotes
    stand only around a field or doubled within it; `count_carefully` serves the rest.

    Attributes:
        records: How many were counted so far.
        share: How much of the file was read, from 0 to 1.
        nul: Whether a NUL byte was met, which no text of a record has.
        stopped: Set from another thread, it ends the count before the end of the file.
    """

    def __init__(self, source: Source):
        self._source = source
        self.records = 0
        self.share = 0.0
        self.nul = False
        self.stopped = False

    def run(self) -> int:
        """Read the whole file.

        Raises:
            OSError, EOFError, zlib.error: If it cannot be read to its end.
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
            # A quote that is still open holds all that follows in one record.
            self.records += quoted
        return self.records

    def expected(self) -> float:
        """About how many records the whole file has."""
        return self.records / self.share if self.share else 0.0


def count_carefully(source: Source) -> int:
    """Records below the header, with quotes within unquoted fields taken as text; slow."""
    csv.field_size_limit(sys.maxsize)
    with source.path.open("rb") as raw:
        stream = unpacked(raw, packed=source.packed)
        text = io.TextIOWrapper(stream, encoding="latin-1", newline="")
        return sum(bool(record) for record in csv.reader(text)) - 1


def _whole_lines(stream: BinaryIO) -> Iterator[bytes]:
    """The content in blocks that end where a line ends, the last one as well."""
    rest = b""
    while block := stream.read(_BLOCK):
        head, end, tail = (rest + block).rpartition(b"\n")
        rest = tail
        if end:
            yield head + end
    if rest:
        yield rest + b"\n"


def _ends(lines: bytes, *, quoted: bool) -> int:
    """Line ends outside quotes, less those of blank lines.

    Args:
        lines: Whole lines.
        quoted: Whether they begin within quotes.
    """
    text = np.frombuffer(lines, np.uint8)
    ends = np.flatnonzero(text == _LINE_FEED)
    if quoted or b'"' in lines:
        quotes = np.flatnonzero(text == _QUOTE)
        ends = ends[(np.searchsorted(quotes, ends) + quoted) % 2 == 0]
    # A line that begins before the block is not blank.
    lengths = np.diff(ends, prepend=-3 if quoted else -1) - 1
    returns = np.count_nonzero(text[ends[lengths == 1] - 1] == _CARRIAGE_RETURN)
    return int(len(ends) - np.count_nonzero(lengths == 0) - returns)


def physical_lines(source: Source, spans: Iterable[tuple[int, int]]) -> Iterator[int]:
    """The line of the file, from 1, on which each of some records begins; 0 past its end.

    Args:
        source: The file; its header is line 1.
        spans: Records by number, from 1 below the header, in rising order; with each how many
            lines it takes where its quotes are broken and cannot tell, else 0.
    """
    with source.path.open("rb") as raw:
        lines = enumerate(unpacked(raw, packed=source.packed), start=1)
        next(lines, None)
        record = start = 0
        for wanted, span in spans:
            while record < wanted:
                record += 1
                start = _next_record(lines, span if record == wanted else 0)
            yield start


def _next_record(lines: Iterator[tuple[int, bytes]], span: int) -> int:
    """Read past one record; the line on which it begins."""
    start, line = next((each for each in lines if each[1].strip(b"\r\n")), (0, b""))
    if span:
        deque(islice(lines, span - 1), maxlen=0)
        return start
    quotes = line.count(b'"')
    while quotes % 2 and (more := next(lines, None)):
        quotes += more[1].count(b'"')
    return start
