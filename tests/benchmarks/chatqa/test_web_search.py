"""Search providers: the packaged reference, or a server over HTTP."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, urlsplit

import pytest

from bench.json_server import listening
from wardround.benchmarks.chatqa.web_search import open_search
from wardround.core.errors import InfraError, UserError

RESULTS = [
    {"title": "Lopressor", "content": "A brand of metoprolol.", "url": "https://a.example/1"},
    {"title": "No text", "url": "https://a.example/2"},
    {"title": "Third", "content": "x", "url": "https://a.example/3"},
]


class Handler(BaseHTTPRequestHandler):
    """Responds as the keyword says."""

    def do_GET(self) -> None:
        query = parse_qs(urlsplit(self.path).query)
        body = {
            "lopressor": json.dumps({"results": RESULTS}),
            "page": "<html>no JSON</html>",
        }.get(query["q"][0], "{}")
        self.send_response(500 if query["q"] == ["broken"] else 200)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with listening(Handler) as address:
        yield f"{address}/"


def test_the_packaged_reference_is_the_default() -> None:
    articles = open_search("reference").search("lopressor", 2)
    assert articles[0].title == "metoprolol"


def test_server_returns_its_first_results(server: str) -> None:
    articles = open_search(f"searxng={server}").search("lopressor", 2)
    assert [(a.title, a.text, a.source) for a in articles] == [
        ("Lopressor", "A brand of metoprolol.", "https://a.example/1"),
        ("No text", "", "https://a.example/2"),
    ]


@pytest.mark.parametrize("keyword", ["broken", "page", "no results key"])
def test_server_failure_is_an_infra_error(server: str, keyword: str) -> None:
    with pytest.raises(InfraError, match="gave no results"):
        open_search(f"searxng={server}").search(keyword, 2)


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("altavista", "no search named 'altavista'"),
        ("searxng", "not a web address"),
        ("searxng=search.example", "not a web address"),
        ("reference=http://x", "takes no address"),
    ],
)
def test_unusable_provider_is_reported(name: str, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        open_search(name)
