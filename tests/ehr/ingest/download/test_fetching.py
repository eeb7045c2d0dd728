"""Fetching from a local server that truncates, delays, corrupts, changes or lacks files."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from hashlib import sha256
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from random import Random

import pytest

from bench.json_server import listening
from wardround.core.errors import InfraError, UserError
from wardround.ehr.ingest import download as fetching
from wardround.ehr.ingest.download.fetch import read_checksums

DEMO = fetching.find_release("mimic-iv-demo")
SMALL, LARGE = "hosp/patients.csv.gz", "icu/chart events.csv.gz"


@dataclass
class Shelf:
    """The files of a server, and its faults.

    Attributes:
        cuts: By path, the bytes after which each of the next responses breaks off.
        faults: By path, the error statuses sent before the file.
        ranges: True if ranges are supported.
        tagged: True if files have an ETag.
        asked: Every requested path with its range.
    """

    files: dict[str, bytes]
    cuts: dict[str, list[int]] = field(default_factory=dict)
    faults: dict[str, list[int]] = field(default_factory=dict)
    ranges: bool = True
    tagged: bool = True
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    url: str = ""

    def list_sums(self) -> None:
        """Add the checksum list to the files."""
        self.files.pop("SHA256SUMS.txt", None)
        lines = [f"{sha256(body).hexdigest()}  {name}\n" for name, body in self.files.items()]
        self.files["SHA256SUMS.txt"] = "".join(lines).encode()


class Handler(BaseHTTPRequestHandler):
    """Serves a shelf."""

    protocol_version = "HTTP/1.1"
    shelf: Shelf

    def do_GET(self) -> None:
        """One file, or a part of it."""
        name = self.path.removeprefix("/release/").replace("%20", " ")
        expected = self.headers.get("range")
        self.shelf.asked.append((name, expected))
        body = self.shelf.files.get(name)
        if faults := self.shelf.faults.get(name):
            self._answer(faults.pop(0), b"", {})
        elif body is None:
            self._answer(404, b"", {})
        else:
            self._serve(name, body, expected if self.shelf.ranges else None)

    def _serve(self, name: str, body: bytes, wanted: str | None) -> None:
        tag = f'"{sha256(body).hexdigest()[:8]}"'
        headers = {"etag": tag} if self.shelf.tagged else {}
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else 0
        if self.headers.get("if-range", tag) != tag:
            start = 0
        if start >= len(body):
            self._answer(416, b"", {"content-range": f"bytes */{len(body)}"})
        elif start:
            span = f"bytes {start}-{len(body) - 1}/{len(body)}"
            self._answer(206, body[start:], {**headers, "content-range": span}, name)
        else:
            self._answer(200, body, headers, name)

    def _answer(self, status: int, body: bytes, headers: dict[str, str], name: str = "") -> None:
        self.send_response(status)
        for key, value in {**headers, "content-length": str(len(body))}.items():
            self.send_header(key, value)
        self.end_headers()
        cuts = self.shelf.cuts.get(name)
        if cuts:
            self.wfile.write(body[: cuts.pop(0)])
            self.close_connection = True
        else:
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Suppress logging."""


@pytest.fixture
def shelf() -> Iterator[Shelf]:
    """A server with a release of two files."""
    made = Shelf({SMALL: b"subject_id\n1\n", LARGE: Random(0).randbytes(300_000)})
    made.list_sums()
    handler = type("ShelfHandler", (Handler,), {"shelf": made})
    with listening(handler) as address:
        made.url = f"{address}/release"
        yield made


def fetch_release(
    shelf: Shelf, folder: Path, waits: list[float] | None = None
) -> fetching.FetchResult:
    """Fetches the release without waiting."""
    recorded_waits: list[float] = [] if waits is None else waits
    return fetching.fetch(DEMO, folder, mirror=shelf.url, wait=recorded_waits.append)


def content(folder: Path) -> dict[str, bytes]:
    """Every file of a folder."""
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def test_listed_files_are_fetched_once(shelf: Shelf, tmp_path: Path) -> None:
    size = len(shelf.files[SMALL]) + len(shelf.files[LARGE])
    assert fetch_release(shelf, tmp_path) == fetching.FetchResult(2, 0, size)
    assert content(tmp_path) == shelf.files
    assert fetch_release(shelf, tmp_path) == fetching.FetchResult(0, 2, size)
    assert Counter(name for name, _ in shelf.asked) == {"SHA256SUMS.txt": 2, SMALL: 1, LARGE: 1}


def test_fetch_resumes_after_interruptions_and_reports_progress(
    shelf: Shelf, tmp_path: Path
) -> None:
    shelf.cuts[LARGE] = [100_000, 50_000, 1]
    progress: list[fetching.Progress] = []
    fetching.fetch(
        DEMO, tmp_path, mirror=shelf.url, on_progress=progress.append, wait=lambda seconds: None
    )
    assert content(tmp_path) == shelf.files
    ranges = [span for name, span in shelf.asked if name == LARGE]
    assert ranges == [None, "bytes=100000-", "bytes=150000-", "bytes=150001-"]
    assert progress[-1] == fetching.Progress(LARGE, 300_000, 300_000)


def test_later_fetch_resumes_a_failed_one(shelf: Shelf, tmp_path: Path) -> None:
    shelf.cuts[LARGE] = [200_000, *[0] * 5]
    with pytest.raises(InfraError, match="partial file is kept"):
        fetch_release(shelf, tmp_path)
    assert (tmp_path / f"{LARGE}.part").stat().st_size == 200_000
    fetch_release(shelf, tmp_path)
    assert content(tmp_path) == shelf.files
    assert shelf.asked[-1] == (LARGE, "bytes=200000-")


def test_changed_file_is_fetched_from_the_start(shelf: Shelf, tmp_path: Path) -> None:
    shelf.cuts[LARGE] = [200_000, *[0] * 5]
    with pytest.raises(InfraError):
        fetch_release(shelf, tmp_path)
    shelf.files[LARGE] = Random(1).randbytes(250_000)
    shelf.list_sums()
    fetch_release(shelf, tmp_path)
    assert content(tmp_path) == shelf.files


@pytest.mark.parametrize("size", [150_000, 200_000, 250_000])
def test_undeclared_change_is_detected_by_checksum(shelf: Shelf, tmp_path: Path, size: int) -> None:
    shelf.tagged = False
    shelf.cuts[LARGE] = [200_000, *[0] * 5]
    with pytest.raises(InfraError):
        fetch_release(shelf, tmp_path)
    shelf.files[LARGE] = Random(1).randbytes(size)
    shelf.list_sums()
    fetch_release(shelf, tmp_path)
    assert content(tmp_path) == shelf.files


def test_server_without_ranges_restarts_the_file(shelf: Shelf, tmp_path: Path) -> None:
    shelf.ranges = False
    shelf.cuts[LARGE] = [100_000, 50_000]
    fetch_release(shelf, tmp_path)
    assert content(tmp_path) == shelf.files


def test_retries_back_off_exponentially(shelf: Shelf, tmp_path: Path) -> None:
    shelf.faults = {SMALL: [503, 429, 500], "SHA256SUMS.txt": [503]}
    waits: list[float] = []
    fetch_release(shelf, tmp_path, waits)
    assert content(tmp_path) == shelf.files
    assert waits == [1.0, 1.0, 2.0, 4.0]


def test_persistent_errors_end_the_fetch(shelf: Shelf, tmp_path: Path) -> None:
    shelf.faults[SMALL] = [503] * 20
    with pytest.raises(
        InfraError, match=r"patients.csv.gz cannot be fetched \(the server says 503"
    ):
        fetch_release(shelf, tmp_path)
    assert len(shelf.faults[SMALL]) == 14


def test_corrupt_file_is_removed_and_reported(shelf: Shelf, tmp_path: Path) -> None:
    shelf.files[SMALL] = b"subject_id\n2\n"
    with pytest.raises(InfraError, match=r"patients.csv.gz failed the checksum"):
        fetch_release(shelf, tmp_path)
    assert content(tmp_path) == {}
    assert [name for name, _ in shelf.asked].count(SMALL) == 2


def test_missing_file_fails_immediately(shelf: Shelf, tmp_path: Path) -> None:
    del shelf.files[LARGE]
    with pytest.raises(InfraError, match="says 404"):
        fetch_release(shelf, tmp_path)
    assert [name for name, _ in shelf.asked].count(LARGE) == 1


def test_foreign_file_is_not_replaced(shelf: Shelf, tmp_path: Path) -> None:
    mine = tmp_path / SMALL
    mine.parent.mkdir()
    mine.write_text("mine")
    with pytest.raises(UserError, match="by its checksum; move it away"):
        fetch_release(shelf, tmp_path)
    assert mine.read_text() == "mine"


def test_unreachable_server_is_reported(tmp_path: Path) -> None:
    with pytest.raises(InfraError, match="cannot be fetched"):
        fetching.fetch(DEMO, tmp_path, mirror="http://127.0.0.1:9/", wait=lambda seconds: None)


@pytest.mark.parametrize("line", ["f" * 64 + "  ../out", "f" * 64 + "  /out", "<html>", ""])
def test_malformed_checksum_list_is_refused(line: str) -> None:
    with pytest.raises(InfraError, match=r"SHA256SUMS.txt"):
        read_checksums(line)


@pytest.mark.parametrize("name", ["mimic-iv", "mimic_iii", "eicu"])
def test_credentialed_release_names_where_to_apply(name: str, tmp_path: Path) -> None:
    release = replace(fetching.find_release(name), url="http://127.0.0.1:9/")
    with pytest.raises(UserError, match=f"apply at {release.page}.*data build {release.schema} "):
        fetching.fetch(release, tmp_path)


def test_release_metadata_is_complete() -> None:
    for name in fetching.release_names():
        release = fetching.find_release(name)
        assert release.name == name
        assert release.url.startswith("https://physionet.org/files/")
        assert release.version in release.url
        assert release.version in release.citation
        assert release.open == name.endswith("-demo")


def test_unknown_release_is_refused() -> None:
    with pytest.raises(UserError, match="choose one of eicu, eicu-demo"):
        fetching.find_release("mimic-v")
