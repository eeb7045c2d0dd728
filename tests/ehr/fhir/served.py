"""A record behind a real web server on a free port of this machine."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from wardround.ehr.fhir.record import Record


@contextmanager
def served(record: Record, writes: Path | None = None) -> Iterator[str]:
    """The base URL of a record's server, which runs on a thread until it is left."""
    from tests.served import served as served_application
    from wardround.apps.web.fhir_server import make_app

    with closing(record.workspace(writes=writes)) as workspace:
        app = make_app(workspace, writable=writes is not None)
        with served_application(app) as port:
            yield f"http://127.0.0.1:{port}/"
