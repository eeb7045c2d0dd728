"""An OpenAI-compatible server that replays a file, or records one from a real server.

It serves commands without options to record and replay. A request that is not in the file is
refused, so that the command fails at once.
"""

import hashlib
import json
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

from bench.json_server import json_handler, listening

_TIMEOUT = 900


class Exchanges:
    """Recorded requests and answers; several answers to a request are returned in sequence."""

    def __init__(self, path: Path, upstream: str) -> None:
        self._path = path
        self._upstream = upstream
        self._lock = Lock()
        self._answers: dict[str, list[Any]] = {}
        if path.is_file():
            for line in path.read_text().splitlines():
                exchange = json.loads(line)
                self._answers.setdefault(exchange["key"], []).append(exchange["answer"])

    def answer(self, body: bytes) -> Any | None:
        """Returns the answer to a request's body; None if there is none."""
        request = json.loads(body)
        ordered = json.dumps(request, sort_keys=True)
        key = hashlib.sha256(ordered.encode()).hexdigest()
        with self._lock:
            if self._upstream:
                return self._ask(body, key, request)
            answers = self._answers.get(key, [])
            return answers.pop(0) if len(answers) > 1 else next(iter(answers), None)

    def _ask(self, body: bytes, key: str, request: Any) -> Any:
        head = {"content-type": "application/json"}
        url = f"{self._upstream}/chat/completions"
        post = urllib.request.Request(url, body, head)  # noqa: S310 - the user names it
        with urllib.request.urlopen(post, timeout=_TIMEOUT) as reply:  # noqa: S310
            answer = json.loads(reply.read())
        with self._path.open("a") as file:
            file.write(json.dumps({"key": key, "request": request, "answer": answer}) + "\n")
        return answer


@contextmanager
def serve(path: Path, upstream: str) -> Iterator[str]:
    """Runs a server and yields its address."""
    exchanges = Exchanges(path, upstream)

    def respond(body: bytes) -> tuple[int, Any]:
        response = exchanges.answer(body)
        unknown = {"error": {"message": "The recording holds no answer to this request."}}
        return (400, unknown) if response is None else (200, response)

    with listening(json_handler(respond)) as address:
        yield f"{address}/v1"
