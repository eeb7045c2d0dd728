"""A record served to many readers at once, and to one writer."""

from pathlib import Path
from queue import Empty, Queue

from wardround.ehr.fhir.interaction import Request, Response
from wardround.ehr.fhir.outcome import FhirError
from wardround.ehr.fhir.record import Record
from wardround.ehr.fhir.search.snapshot import Snapshots
from wardround.ehr.fhir.workspace import Workspace, is_read

READERS = 8
BUSY_SECONDS = 5.0


class ReaderPool:
    """Answers searches on several workspaces; all else on one of its own, which never waits long.

    Args:
        record: the record.
        writes: the file that keeps the writes; None for a record that is only read.
        readers: the number of searches at once.
    """

    def __init__(self, record: Record, writes: Path | None = None, readers: int = READERS) -> None:
        snapshots = Snapshots()

        def opened() -> Workspace:
            return record.workspace(writes=writes, writable=writes is not None, snapshots=snapshots)

        self._quick = opened()
        self._readers = [opened() for _ in range(readers)]
        self._free = Queue[Workspace]()
        for reader in self._readers:
            self._free.put(reader)

    def handle(self, request: Request) -> Response:
        """Answers a request; a search is refused if no reader is free for long."""
        if not is_read(request) or _is_quick(request):
            return self._quick.handle(request)
        try:
            reader = self._free.get(timeout=BUSY_SECONDS)
        except Empty:
            return FhirError(
                503, "too-costly", "The server is busy with other searches; try again."
            ).response()
        try:
            return reader.handle(request)
        finally:
            self._free.put(reader)

    def close(self) -> None:
        """Closes all workspaces."""
        for reader in (self._quick, *self._readers):
            reader.close()


def _is_quick(request: Request) -> bool:
    """True for the capability statement, and for reads of a resource by its id."""
    steps = request.path.partition("?")[0].strip("/").split("/")
    is_read_by_id = len(steps) in (2, 4) and not steps[1].startswith(("_", "$"))
    return request.method == "GET" and (steps == ["metadata"] or is_read_by_id)
