"""Addresses and forms that nobody would write: each is answered by a page, and none runs."""

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlencode

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

from wardround.apps.web.viewer.application import make_viewer

MARKUP = "\"'><svg/onload=alert(1)><script>alert(1)</script>{{7*7}}${7*7}<!--"
TEXT = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
    st.sampled_from(
        [MARKUP, "\0", "../" * 12 + "etc/passwd", "%2e%2e%2f", "' OR 1=1 --", '"*" OR NEAR(']
    )
    | st.sampled_from(["words : x", "^a", "a AND", "{text}: b", "-a", "\u202e", "١٢٣", "K" * 5000]),
)
NAMES = st.sampled_from(["second", "first~1one", "none"]) | TEXT
QUERIES = {
    "/runs/second": ("outcome", "label", "words", "task", "mark", "start"),
    "/runs/second/trial": ("task", "trial", "gold", "start"),
    "/runs/second/trajectory.json": ("task", "trial"),
    "/compare": ("first", "second", "start"),
    "/compare/trials": ("first", "second", "task", "first_trial", "second_trial"),
}


class Tags(HTMLParser):
    """The tags of a page, and the attributes that would run a script."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.scripts = list[str | None]()
        self.running = list[str]()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "script":
            self.scripts.append(dict(attrs).get("src"))
        self.running += [
            f"{name}={value}"
            for name, value in attrs
            if name.startswith("on") or (value or "").strip().lower().startswith("javascript:")
        ]


def check(answer: object) -> None:
    """Checks that an answer is a page of ours on which nothing but htmx runs."""
    status, headers, text = answer.status_code, answer.headers, answer.text  # type: ignore[attr-defined]
    assert status in (200, 404, 405, 422), status
    assert "Traceback" not in text
    if headers["content-type"].startswith("text/html"):
        tags = Tags(text)
        assert tags.scripts == ["/vendored/htmx.min.js"]
        assert tags.running == []
        assert "49" not in text.partition("<h1>")[2].partition("</h1>")[0]


@pytest.fixture(scope="module")
def attacked(played: Path) -> Iterator[TestClient]:
    with TestClient(make_viewer(played), raise_server_exceptions=False) as client:
        yield client


@pytest.mark.parametrize("path", list(QUERIES))
@given(data=st.data())
def test_any_query_is_answered(attacked: TestClient, path: str, data: st.DataObject) -> None:
    chosen = {
        name: data.draw(NAMES if name in ("first", "second") else TEXT | st.just("0"))
        for name in QUERIES[path]
        if data.draw(st.booleans())
    }
    check(attacked.get(f"{path}?{urlencode(chosen)}"))


@given(name=TEXT, rest=st.sampled_from(["", "/trial?task=cough&trial=0", "/notes.csv", "/%00"]))
def test_any_name_is_answered(attacked: TestClient, name: str, rest: str) -> None:
    path = urlencode({"": name})[1:].replace("+", "%20")
    check(attacked.get(f"/runs/{path}{rest}"))


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "POST"])
@pytest.mark.parametrize("path", ["/", "/runs/second", "/runs/second/trial", "/compare"])
def test_other_methods_do_nothing(attacked: TestClient, method: str, path: str) -> None:
    assert attacked.request(method, path).status_code == 405


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1.evil.example", "localhost@evil.example", "[::1", "", "192.0.2.7"],
)
def test_other_hosts_are_refused(attacked: TestClient, host: str) -> None:
    answer = attacked.get("/", headers={"Host": host})
    assert answer.status_code in (400, 403)
    assert "second" not in answer.text


@pytest.mark.parametrize("name", ["../second", "second/../../x", "/etc", "..", "~0", "~1", "~1~1"])
def test_a_note_is_written_beside_listed_runs_only(
    runs: Path, client: TestClient, name: str
) -> None:
    before = sorted(runs.rglob("notes*"))
    path = urlencode({"": name})[1:]
    data = {"task": "cough", "trial": "0", "text": "A note."}
    assert client.post(f"/runs/{path}/notes", data=data).status_code == 404
    assert sorted(runs.rglob("notes*")) == before


def test_a_link_out_of_the_folder_is_not_followed(runs: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (runs / "second").rename(outside)
    (runs / "linked").symlink_to(outside)
    client = TestClient(make_viewer(runs))
    assert "linked" not in client.get("/").text
    assert client.get("/runs/linked").status_code == 404


def test_a_token_in_the_address_opens_nothing(runs: Path) -> None:
    token = "a-token-of-32-characters-at-least"
    client = TestClient(make_viewer(runs, token), follow_redirects=False)
    for query in (f"?token={token}", f"?wardround_view={token}"):
        assert client.get(f"/runs/second{query}").status_code == 303
    headers = {"Authorization": f"Basic {token}"}
    assert client.get("/runs/second", headers=headers).status_code == 303
