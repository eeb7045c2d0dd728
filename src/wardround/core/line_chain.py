"""A chain of authenticated lines: each line carries an HMAC over its predecessor and itself.

The key of a chain is derived from the user's key, the run's random id and the file's name, so that
no line of another run or file fits. An HMAC is the last field of its line, `"mac"`, so that lines
stay JSON.
"""

import hmac
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import orjson

MAC = "mac"
_DIGITS = 32
_FIELD, _END = b',"mac":"', b'"}'
_LENGTH = len(_FIELD) + _DIGITS + len(_END)
MAC_LENGTH = _LENGTH + 1  # of the end of a line, with its newline
_START = b"0" * _DIGITS


@dataclass(frozen=True, slots=True)
class CheckedLine:
    """A line of a file with the result of its check.

    Attributes:
        offset: the offset of its first byte.
        text: the line without its newline.
        genuine: True if it is unchanged, and follows the line that it followed when written.
        origin: the offset at which it was written: before it, lines may have been inserted.
    """

    offset: int
    text: bytes
    genuine: bool
    origin: int


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a chain: the number of its lines, and the HMAC of the last one."""

    lines: int
    mac: str


class Chain:
    """The chain of a file.

    Args:
        key: the user's key.
        run: the run's random id.
        name: the file's name.
        ending: the line that the next one follows; by default there is none yet.
    """

    def __init__(self, key: bytes, run: str, name: str, ending: Ending | None = None) -> None:
        file_key = hmac.digest(key, f"{run}/{name}".encode(), "sha256")
        self._hmac = hmac.new(file_key, digestmod="sha256")  # copied for each line, which is faster
        self._last = ending.mac.encode() if ending else _START
        self._lines = ending.lines if ending else 0

    @property
    def ending(self) -> Ending:
        """The end of the chain so far."""
        return Ending(self._lines, self._last.decode())

    def signed(self, line: bytes) -> bytes:
        """A JSON object as the chain's next line, without the newline."""
        self._extend(self._mac(line, self._last))
        return line[:-1] + _FIELD + self._last + _END

    def follows(self, line: bytes, earlier: bytes) -> bool:
        """True if a line was written after the line whose end is `earlier`, or else as the first.

        >>> chain = Chain(b"key", "run", "file")
        >>> first, second = chain.signed(b'{"n":1}'), chain.signed(b'{"n":2}')
        >>> chain.follows(first, b""), chain.follows(second, first + bytes([10]))
        (True, True)
        >>> chain.follows(second, b"")
        False
        """
        before = _mac_of(earlier[:-1]) if earlier else _START
        return self._is_after(line, before)

    def checked(self, lines: Iterable[tuple[int, bytes]]) -> Iterator[CheckedLine]:
        """Checks lines, each with its offset; afterwards the chain can be extended."""
        before: tuple[bytes, ...] = (self._last,)
        inserted = gap = 0
        for offset, text in lines:
            if any(self._is_after(text, mac) for mac in before):
                inserted += gap if gap and self._is_after(text, self._last) else 0
                gap = 0
                self._extend(_mac_of(text))
                before = (self._last,)
                yield CheckedLine(offset, text, True, offset - inserted)
            else:
                # The next line may follow the replaced one, or the last genuine one.
                gap += len(text) + 1
                before = (_mac_of(text), self._mac(unsigned(text), before[0]), self._last)
                yield CheckedLine(offset, text, False, offset - inserted)

    def signed_document(self, document: dict[str, Any]) -> bytes:
        """A document of one object, with its HMAC."""
        mac = self._mac(_indented(document), _START).decode()
        return _indented({**document, MAC: mac})

    def checked_document(self, content: bytes) -> dict[str, Any] | None:
        """The inverse of `signed_document`; None if the content was changed."""
        try:
            document = orjson.loads(content)
            document.pop(MAC, None)
        except (orjson.JSONDecodeError, AttributeError):
            return None
        same = hmac.compare_digest(self.signed_document(document), content)
        return document if same else None

    def _is_after(self, line: bytes, before: bytes) -> bool:
        return _is_formed(line) and self._mac(unsigned(line), before) == _mac_of(line)

    def _mac(self, body: bytes, before: bytes) -> bytes:
        if len(before) != _DIGITS:
            return b""  # not after such a line
        computed = self._hmac.copy()
        computed.update(before)
        computed.update(body)
        return computed.hexdigest()[:_DIGITS].encode()

    def _extend(self, mac: bytes) -> None:
        self._last = mac
        self._lines += 1


def _is_formed(line: bytes) -> bool:
    return line.endswith(_END) and line[-_LENGTH:].startswith(_FIELD)


def unsigned(line: bytes) -> bytes:
    """A signed line without its HMAC."""
    return line[:-_LENGTH] + b"}"


def _mac_of(line: bytes) -> bytes:
    return line[-len(_END) - _DIGITS : -len(_END)]


def _indented(document: dict[str, Any]) -> bytes:
    return orjson.dumps(document, option=orjson.OPT_INDENT_2) + b"\n"
