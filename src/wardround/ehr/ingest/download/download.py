"""HTTP download of one file, with resume and retries."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from wardround.core.errors import InfraError
from wardround.core.private_files import make_folder, open_private, write_whole

if TYPE_CHECKING:
    from httpx2 import Client, Response

TRIES = 6
_TRANSIENT = {408, 425, 429, 500, 502, 503, 504}
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Progress:
    """Progress of one file: bytes received, and the total if the server reports it."""

    file: str
    bytes: int
    total: int | None


@dataclass(frozen=True)
class Connection:
    """An HTTP client with its retry delay and progress callback."""

    client: "Client"
    wait: Callable[[float], None]
    on_progress: Callable[[Progress], None]


class _TransientError(Exception):
    """An error that a retry may resolve."""


@contextmanager
def open_connection(
    wait: Callable[[float], None], on_progress: Callable[[Progress], None]
) -> Iterator[Connection]:
    """Open a connection, using the proxies of the environment."""
    import httpx2

    timeout = httpx2.Timeout(60.0, connect=15.0)
    with httpx2.Client(timeout=timeout, follow_redirects=True) as client:
        yield Connection(client, wait, on_progress)


def get_text(connection: Connection, url: str) -> str:
    """Download a small text.

    Raises:
        InfraError: If the download fails.
    """
    return _retry(connection, url, lambda: _text(connection, url), lambda: 0)


def download(connection: Connection, url: str, part: Path, name: str) -> None:
    """Download the rest of a file to `part`.

    The file's version (ETag or date) is stored next to `part`; if it has changed on the server,
    the download starts over.

    Raises:
        InfraError: If the download fails; the received part is kept.
    """
    _retry(connection, url, lambda: _resume(connection, url, part, name), lambda: _size(part))


def discard(part: Path) -> None:
    """Remove a partial download."""
    part.unlink(missing_ok=True)
    _version_file(part).unlink(missing_ok=True)


def _retry(
    connection: Connection, url: str, get: Callable[[], _Result], size: Callable[[], int]
) -> _Result:
    """Retry until success; attempts that received data reset the count."""
    failures, largest = 0, size()
    while True:
        try:
            return get()
        except _TransientError as fault:
            failures = 1 if size() > largest else failures + 1
            largest = max(largest, size())
            if failures == TRIES:
                message = f"{url} cannot be fetched ({fault}); the partial file is kept, try again."
                raise InfraError(message) from None
            connection.wait(2.0 ** (failures - 1))


def _text(connection: Connection, url: str) -> str:
    with _request(connection, url, {}) as response:
        return response.read().decode("utf-8")


def _resume(connection: Connection, url: str, part: Path, name: str) -> None:
    received = _size(part)
    with _request(connection, url, _range_headers(part, received)) as response:
        if response.status_code == 416:
            if response.headers.get("content-range") != f"bytes */{received}":
                discard(part)
                raise _TransientError("the file has changed")
            return
        if received and not _continues(response, received):
            discard(part)
            received = 0
        _record_version(part, response)
        length = response.headers.get("content-length")
        total = received + int(length) if length else None
        with open_private(part, "ab") as stream:
            for block in response.iter_raw():
                stream.write(block)
                received += len(block)
                connection.on_progress(Progress(name, received, total))


@contextmanager
def _request(connection: Connection, url: str, headers: dict[str, str]) -> "Iterator[Response]":
    import httpx2

    try:
        # Request the raw bytes, so that a .gz file is not decompressed in transfer.
        all_headers = {"accept-encoding": "identity", **headers}
        with connection.client.stream("GET", url, headers=all_headers) as response:
            _check(response, url)
            yield response
    except httpx2.TransportError as error:
        raise _TransientError(str(error) or type(error).__name__) from error
    except httpx2.HTTPError as error:
        raise InfraError(f"{url} cannot be fetched ({error}); check the address.") from error


def _check(response: "Response", url: str) -> None:
    status = response.status_code
    if status in _TRANSIENT:
        raise _TransientError(f"the server says {status}")
    if status != 416 and not response.is_success:
        raise InfraError(f"{url} cannot be fetched (the server says {status}); check the address.")


def _range_headers(part: Path, received: int) -> dict[str, str]:
    if not received:
        return {}
    tag = _version_file(part).read_text("utf-8") if _version_file(part).exists() else ""
    return {"range": f"bytes={received}-"} | ({"if-range": tag} if tag else {})


def _continues(response: "Response", received: int) -> bool:
    """True if the response continues the part, False if it is the whole file."""
    if response.status_code != 206:
        return False
    if str(response.headers.get("content-range", "")).startswith(f"bytes {received}-"):
        return True
    raise InfraError(f"{response.url} answers with another byte range than requested.")


def _record_version(part: Path, response: "Response") -> None:
    """Store the version of the file; RFC 9110, 13.1.5 forbids resuming by a weak ETag."""
    tag = str(response.headers.get("etag", ""))
    if not tag or tag.startswith("W/"):
        tag = str(response.headers.get("last-modified", ""))
    make_folder(part.parent)
    write_whole(_version_file(part), tag.encode())


def _version_file(part: Path) -> Path:
    return part.with_name(f"{part.name}.tag")


def _size(part: Path) -> int:
    return part.stat().st_size if part.exists() else 0
