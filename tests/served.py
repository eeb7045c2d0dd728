"""Web applications behind a real server on a free port of this machine."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn


@contextmanager
def served(application: Any, **config: Any) -> Iterator[int]:
    """The port of an application that is served on a thread meanwhile.

    Args:
        application: the ASGI application.
        config: further settings of the server.
    """
    server = uvicorn.Server(uvicorn.Config(application, log_level="error", **config))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            ends = time.monotonic() + 20
            while not server.started:
                assert time.monotonic() < ends
                time.sleep(0.01)
            yield listening.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join()
