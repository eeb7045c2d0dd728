"""Google's client against a recorded conversation."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, ClassVar

from bench.json_server import listening

LINES = Path(__file__).with_name("conversation.jsonl").read_text().splitlines()
CONVERSATION = [json.loads(line) for line in LINES if line.strip()]
DATASETS = "data.mimiciv_hosp,data.mimiciv_icu?most_bytes=1000000"


class Played(BaseHTTPRequestHandler):
    """Answers a request with the first matching line of the recording."""

    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self._answer({})

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        self._answer(json.loads(self.rfile.read(length) or b"{}"))

    def _answer(self, body: dict[str, Any]) -> None:
        path = self.path.partition("?")[0]
        for line in CONVERSATION:
            fits = line["method"] == self.command and re.fullmatch(line["path"], path)
            if fits and holds(body, line.get("body", {})):
                self.asked.append(f"{self.command} {path}")
                return self._send(line.get("status", 200), line["answer"], body)
        error = {"code": 404, "message": f"not in the conversation: {body}"}
        return self._send(404, {"error": error}, {})

    def _send(self, status: int, answer: Any, body: dict[str, Any]) -> None:
        if "jobReference" in body:
            answer = {**answer, "jobReference": body["jobReference"]}
        content = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Suppress logging."""


def holds(body: Any, wanted: Any) -> bool:
    """True if the body contains everything required."""
    if isinstance(wanted, dict):
        return all(key in body and holds(body[key], value) for key, value in wanted.items())
    return bool(body == wanted)


@contextmanager
def played_client() -> Iterator[Any]:
    """A client of BigQuery that talks to the recording."""
    from google.api_core.client_options import ClientOptions
    from google.auth.credentials import AnonymousCredentials
    from google.cloud import bigquery

    Played.asked = []
    with listening(Played) as address:
        options = ClientOptions(api_endpoint=address)
        yield bigquery.Client(
            project="mine", credentials=AnonymousCredentials(), client_options=options
        )
