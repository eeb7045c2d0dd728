"""The resources of any source: a record, NDJSON, a database, or a server behind a URL."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from wardround.core.errors import UserError
from wardround.core.locations import check_readable
from wardround.ehr.fhir.interaction import Resource
from wardround.ehr.fhir.locations import is_server
from wardround.ehr.fhir.mimic import HOSPITAL_ZONE, resources
from wardround.ehr.fhir.ndjson import is_ndjson, read_ndjson
from wardround.ehr.fhir.record import Record
from wardround.ehr.fhir.remote import RemoteServer, remote_resources
from wardround.ehr.fhir.store.file_format import is_record


def read_resources(
    location: str, zone: str = HOSPITAL_ZONE, token: str | None = None
) -> Iterator[Resource]:
    """The resources of a source.

    Args:
        location: a record's file, NDJSON files or a folder of them, a DuckDB file in MIMIC-IV's
            layout, or the base URL of a FHIR server.
        zone: the time zone of a database's times.
        token: a bearer token for a server.

    Raises:
        UserError: there is no such source, or it cannot be read.
        InfraError: a server fails.
    """
    if is_server(location):
        with closing(RemoteServer(location, token)) as server:
            yield from remote_resources(server)
        return
    path = Path(location).expanduser()
    check_readable(path)
    if not path.exists():
        raise UserError(f"{path} does not exist; check --from.")
    if is_record(path):
        yield from Record.open(path).resources()
    elif path.is_dir() or is_ndjson(path):
        yield from read_ndjson(path)
    else:
        yield from resources(location, zone)
