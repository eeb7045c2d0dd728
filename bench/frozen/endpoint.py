"""An OpenAI-compatible server that answers from a file, or asks a real one and writes the file.

For commands that have no option to record and replay. A request that the file lacks is refused,
so that it fails at once.
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
    """Recorded requests and answers; several answers to one request are given in turn."""

    def __init__(self, path: Path, upstream: str) -> None:
        self._path = path
        self._upstream = upstream
        self._lock = Lock()
        self._answers: dict[str, list[Any]] = {}
        if path.is_file():
            for line in path.read_text().splitlines():
                exchange = json.loads(line)
                self._answers.setdefault(exchange["key"], []).append(exchange["answer"])

    def answer(self, asked: bytes) -> Any | None:
        """The answer to a request's body, None if there is none."""
        request = json.loads(asked)
        ordered = json.dumps(request, sort_keys=True)
        key = hashlib.sha256(ordered.encode()).hexdigest()
        with self._lock:
            if self._upstream:
                return self._ask(asked, key, request)
            answers = self._answers.get(key, [])
            return answers.pop(0) if len(answers) > 1 else next(iter(answers), None)

    def _ask(self, asked: bytes, key: str, request: Any) -> Any:
        head = {"content-type": "application/json"}
        url = f"{self._upstream}/chat/completions"
        post = urllib.request.Request(url, asked, head)  # noqa: S310 - the user names it
        with urllib.request.urlopen(post, timeout=_TIMEOUT) as reply:  # noqa: S310
            answer = json.loads(reply.read())
        with self._path.open("a") as file:
            file.write(json.dumps({"key": key, "request": request, "answer": answer}) + "\n")
        return answer


@contextmanager
def serve(path: Path, upstream: str) -> Iterator[str]:
    """The address of a server that answers while the context lasts."""
    exchanges = Exchanges(path, upstream)

    def respond(body: bytes) -> tuple[int, Any]:
        found = exchanges.answer(body)
        unknown = {"error": {"message": "The recording holds no answer to this request."}}
        return (400, unknown) if found is None else (200, found)

    with listening(json_handler(respond)) as address:
        yield f"{address}/v1"
