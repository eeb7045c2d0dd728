"""A server on this machine that answers with JSON, for recordings and tests."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


def json_handler(answer: Callable[[bytes], tuple[int, Any]]) -> type[BaseHTTPRequestHandler]:
    """Handles POST requests by a function from the body to a status and a JSON value."""

    class Handler(BaseHTTPRequestHandler):
        """Answers one request."""

        def do_POST(self) -> None:
            """Answers with what the function returns."""
            status, value = answer(self.rfile.read(int(self.headers["content-length"])))
            text = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, format: str, *args: Any) -> None:
            """Logs nothing."""

    return Handler


def completion(message: dict[str, Any], input_tokens: int, output_tokens: int) -> dict[str, Any]:
    """A chat completion as an OpenAI-compatible server returns it."""
    reason = "tool_calls" if "tool_calls" in message else "stop"
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "standin",
        "choices": [{"index": 0, "finish_reason": reason, "message": message}],
        "usage": {
            "prompt_tokens": input_tokens,
            "completion_tokens": output_tokens,
            "total_tokens": input_tokens + output_tokens,
        },
    }


@contextmanager
def listening(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """Runs a server while the context lasts, and yields its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()
