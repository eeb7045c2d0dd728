"""Gets one file over HTTP: goes on where it was cut off, and tries again what may pass."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from wardround.core.errors import InfraError

if TYPE_CHECKING:
    from httpx2 import Client, Response

TRIES = 6
_PASSING = {408, 425, 429, 500, 502, 503, 504}
_Got = TypeVar("_Got")


@dataclass(frozen=True)
class Progress:
    """How far a file is: bytes that are here, and bytes in all where the server says so."""

    file: str
    bytes: int
    total: int | None


@dataclass(frozen=True)
class Line:
    """How to reach a server, wait between tries, and say how far things are."""

    client: "Client"
    wait: Callable[[float], None]
    told: Callable[[Progress], None]


class _PassingError(Exception):
    """A fault that may be gone on the next try."""


@contextmanager
def connected(wait: Callable[[float], None], told: Callable[[Progress], None]) -> Iterator[Line]:
    """A line to servers, proxies as the environment says."""
    import httpx2

    timeout = httpx2.Timeout(60.0, connect=15.0)
    with httpx2.Client(timeout=timeout, follow_redirects=True) as client:
        yield Line(client, wait, told)


def get_text(line: Line, url: str) -> str:
    """A small text.

    Raises:
        InfraError: If it cannot be had.
    """
    return _persist(line, url, lambda: _text(line, url), lambda: 0)


def download(line: Line, url: str, part: Path, name: str) -> None:
    """Fill `part` with what is at an address, from where it stops.

    What the server said of the file when `part` was begun is kept beside it, so that a file that
    has changed since is begun anew and never made of two versions.

    Raises:
        InfraError: If it cannot be had; what has come is kept for the next time.
    """
    _persist(line, url, lambda: _go_on(line, url, part, name), lambda: _size(part))


def discard(part: Path) -> None:
    """Remove what has come of a file."""
    part.unlink(missing_ok=True)
    _tag(part).unlink(missing_ok=True)


def _persist(line: Line, url: str, get: Callable[[], _Got], size: Callable[[], int]) -> _Got:
    """Try until it works; only tries that bring nothing new count."""
    failed, most = 0, size()
    while True:
        try:
            return get()
        except _PassingError as fault:
            failed = 1 if size() > most else failed + 1
            most = max(most, size())
            if failed == TRIES:
                message = f"{url} cannot be fetched ({fault}); what has come is kept, try again."
                raise InfraError(message) from None
            line.wait(2.0 ** (failed - 1))


def _text(line: Line, url: str) -> str:
    with _asked(line, url, {}) as response:
        return response.read().decode("utf-8")


def _go_on(line: Line, url: str, part: Path, name: str) -> None:
    have = _size(part)
    with _asked(line, url, _from(part, have)) as response:
        if response.status_code == 416:
            if response.headers.get("content-range") != f"bytes */{have}":
                discard(part)
                raise _PassingError("the file has changed")
            return
        if have and not _fits(response, have):
            discard(part)
            have = 0
        _note(part, response)
        length = response.headers.get("content-length")
        total = have + int(length) if length else None
        with part.open("ab") as stream:
            for block in response.iter_raw():
                stream.write(block)
                have += len(block)
                line.told(Progress(name, have, total))


@contextmanager
def _asked(line: Line, url: str, headers: dict[str, str]) -> "Iterator[Response]":
    import httpx2

    try:
        # The bytes as they lie there: a .gz file is not to be unpacked on the way.
        wanted = {"accept-encoding": "identity", **headers}
        with line.client.stream("GET", url, headers=wanted) as response:
            _check(response, url)
            yield response
    except httpx2.TransportError as error:
        raise _PassingError(str(error) or type(error).__name__) from error
    except httpx2.HTTPError as error:
        raise InfraError(f"{url} cannot be fetched ({error}); check the address.") from error


def _check(response: "Response", url: str) -> None:
    status = response.status_code
    if status in _PASSING:
        raise _PassingError(f"the server says {status}")
    if status != 416 and not response.is_success:
        raise InfraError(f"{url} cannot be fetched (the server says {status}); check the address.")


def _from(part: Path, have: int) -> dict[str, str]:
    if not have:
        return {}
    tag = _tag(part).read_text("utf-8") if _tag(part).exists() else ""
    return {"range": f"bytes={have}-"} | ({"if-range": tag} if tag else {})


def _fits(response: "Response", have: int) -> bool:
    """Whether the answer goes on where the part stops, and is not the whole file."""
    if response.status_code != 206:
        return False
    if str(response.headers.get("content-range", "")).startswith(f"bytes {have}-"):
        return True
    raise InfraError(f"{response.url} answers with another part than was asked for.")


def _note(part: Path, response: "Response") -> None:
    """Keep what identifies the version; RFC 9110, 13.1.5 forbids to go on by a weak ETag."""
    tag = str(response.headers.get("etag", ""))
    if not tag or tag.startswith("W/"):
        tag = str(response.headers.get("last-modified", ""))
    part.parent.mkdir(parents=True, exist_ok=True)
    _tag(part).write_text(tag, "utf-8")


def _tag(part: Path) -> Path:
    return part.with_name(f"{part.name}.tag")


def _size(part: Path) -> int:
    return part.stat().st_size if part.exists() else 0
