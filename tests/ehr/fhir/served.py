"""A record behind a real web server on a free port of this machine."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from wardround.ehr.fhir.record import Record


@contextmanager
def served(record: Record, writes: Path | None = None) -> Iterator[str]:
    """The base URL of a record's server, which runs on a thread until it is left."""
    import uvicorn

    from wardround.apps.web.fhir_server import make_app

    with closing(record.workspace(writes=writes)) as workspace:
        app = make_app(workspace, writable=writes is not None)
        server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
        with socket.create_server(("127.0.0.1", 0)) as listening:
            thread = threading.Thread(target=server.run, args=([listening],))
            thread.start()
            try:
                ends = time.monotonic() + 20
                while not server.started:
                    assert time.monotonic() < ends
                    time.sleep(0.01)
                yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
            finally:
                server.should_exit = True
                thread.join()
