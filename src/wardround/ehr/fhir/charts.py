"""Charts: FHIR records that each trial reads and writes alone, from a file or behind a URL."""

import hashlib
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from wardround.core.errors import UserError
from wardround.core.folders import build_once, cache_folder
from wardround.core.locations import check_readable
from wardround.core.scratch_folder import ScratchFolder
from wardround.ehr.fhir.interaction import FhirServer
from wardround.ehr.fhir.locations import is_server
from wardround.ehr.fhir.ndjson import is_ndjson, ndjson_files, read_ndjson
from wardround.ehr.fhir.proxy import ProxyServer
from wardround.ehr.fhir.record import Record
from wardround.ehr.fhir.remote import RemoteServer
from wardround.ehr.fhir.store.builder import Validation, build_record
from wardround.ehr.fhir.store.file_format import FORMAT, is_record

Clock: TypeAlias = datetime | Callable[[], datetime] | None


class Chart(Protocol):
    """A record on which any number of trials work, each with its own writes."""

    @property
    def fingerprint(self) -> str:
        """A digest of its content, or of its address where the content cannot be known."""
        ...

    def workspace(
        self, clock: Clock = None, *, gated: bool = True, validation: Validation | None = None
    ) -> FhirServer:
        """Opens it for one trial; its writes are gone when it is closed."""
        ...


class RemoteChart:
    """A server that is read only; the writes of a trial lie over it here.

    Args:
        url: the server's base URL.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._scratch = ScratchFolder()
        empty = self._scratch.path / "empty.fhir"
        build_record(empty, [], source=url)
        self._empty = Record.open(empty)
        self.fingerprint = hashlib.sha256(url.encode()).hexdigest()

    def workspace(
        self, clock: Clock = None, *, gated: bool = True, validation: Validation | None = None
    ) -> FhirServer:
        """Opens it for one trial; the server's answers are not gated by the clock."""
        overlay = self._empty.workspace(clock, gated=False, validation=validation)
        return ProxyServer(RemoteServer(self._url), overlay)


def open_chart(location: str) -> Chart:
    """Opens a record's file, NDJSON, or a server.

    A record of NDJSON is built on first use, and again when a file has changed.

    Raises:
        UserError: there is no such place, or it holds no FHIR.
    """
    if is_server(location):
        return RemoteChart(location)
    path = Path(location).expanduser()
    check_readable(path)
    if not path.exists():
        raise UserError(f"The FHIR record {path} does not exist; check --database.")
    if is_record(path):
        return Record.open(path)
    if is_ndjson(path):
        return Record.open(_built(path))
    raise UserError(
        f"{path} is no FHIR record, NDJSON or server; make a record with `wardround data fhir`."
    )


def built_chart(name: str, build: Callable[[Path], Any]) -> Record:
    """A record in the user's cache folder, built on first use.

    Args:
        name: a name that changes with the content.
        build: writes the record to a path that does not exist yet.
    """
    return Record.open(build_once(cache_folder() / "fhir" / f"{name}.fhir", build))


def _built(source: Path) -> Path:
    files = ndjson_files(source)
    stamps = [(str(f.absolute()), f.stat().st_size, f.stat().st_mtime_ns) for f in files]
    name = hashlib.sha256(repr((FORMAT, stamps)).encode()).hexdigest()[:16]
    record = built_chart(
        name, lambda path: build_record(path, read_ndjson(source), source=str(source))
    )
    return record.path
