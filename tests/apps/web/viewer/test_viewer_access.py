"""Who may open the pages of `wardround view`: tokens, other sites, and forged requests."""

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.apps.commands import Cli
from tests.cases import one_in
from wardround.apps.web.viewer.application import make_viewer

TOKEN = "a-token-of-32-characters-at-least"
PATHS = (
    "/",
    "/runs/second",
    "/runs/second/trial?task=cough&trial=0",
    "/runs/second/trial?task=cough&trial=0&gold=1",
    "/runs/second/trajectory.json?task=cough&trial=0",
    "/runs/second/notes.csv",
    "/runs/second/notes.jsonl",
    "/compare?first=second&second=second",
    "/compare/trials?first=second&second=second&task=cough",
)
NOTE = {"task": "cough", "trial": "0", "text": "A note.", "by": "Ada"}


@pytest.fixture
def guarded(runs: Path) -> TestClient:
    viewer = make_viewer(runs, TOKEN)
    return TestClient(viewer, base_url="http://ward.example:8766", follow_redirects=False)


@pytest.mark.parametrize("path", PATHS)
def test_nothing_is_shown_without_the_token(guarded: TestClient, path: str) -> None:
    answer = guarded.get(path)
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")
    assert answer.content == b""
    assert guarded.get(path, headers={"Cookie": f"wardround_view={TOKEN[:-1]}"}).status_code == 303
    part = guarded.get(path, headers={"HX-Request": "true"})
    assert (part.status_code, part.headers["hx-redirect"]) == (401, "/sign-in")


@pytest.mark.parametrize("path", one_in(3, PATHS))
def test_the_token_opens_every_page(guarded: TestClient, path: str) -> None:
    assert guarded.get(path, headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200


def test_people_sign_in(guarded: TestClient) -> None:
    assert guarded.get("/sign-in").status_code == 200
    assert guarded.get("/vendored/htmx.min.js").status_code == 200
    wrong = guarded.post("/sign-in", data={"token": "wrong"})
    assert wrong.status_code == 403
    assert "set-cookie" not in wrong.headers
    right = guarded.post("/sign-in", data={"token": TOKEN})
    assert right.status_code == 303
    assert "httponly" in right.headers["set-cookie"].lower()
    assert "samesite=strict" in right.headers["set-cookie"].lower()
    assert guarded.get("/").status_code == 200


@pytest.mark.parametrize("way", ["form", "bearer", "cookie"])
def test_wrong_tokens_are_limited(
    guarded: TestClient, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    now = 1_000.0
    monkeypatch.setattr("wardround.apps.web.access.monotonic", lambda: now)

    def status(token: str) -> int:
        """The status of an attempt; 303 to the first page, or 200, is success."""
        if way == "form":
            return guarded.post("/sign-in", data={"token": token}).status_code
        header = {"bearer": ("Authorization", "Bearer "), "cookie": ("Cookie", "wardround_view=")}
        name, before = header[way]
        return guarded.get("/", headers={name: f"{before}{token}"}).status_code

    right, wrong = (303, 403) if way == "form" else (200, 303)
    for _ in range(50):  # an old token in a browser
        assert status("old") == wrong
    for number in range(18):
        assert status(f"guess-{number}") == wrong
    assert status(TOKEN) == right
    guarded.cookies.clear()
    assert status("guess-18") == wrong
    assert status(TOKEN) == wrong
    assert "Too many wrong tokens" in guarded.post("/sign-in", data={"token": TOKEN}).text
    now += 61
    assert status(TOKEN) == right


@pytest.mark.parametrize("token", ["\u00e9" * 20, "", "x" * 900])
def test_odd_tokens_are_wrong(guarded: TestClient, token: str) -> None:
    assert guarded.post("/sign-in", data={"token": token}).status_code in (403, 422)


def test_notes_need_the_token(guarded: TestClient, runs: Path) -> None:
    assert guarded.post("/runs/second/notes", data=NOTE).status_code == 303
    assert not (runs / "second" / "notes.jsonl").exists()


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://[::1"},
        {"Origin": "http://testserver.evil.example"},
        {"Origin": "http://testserver:99"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "http://testserver", "Sec-Fetch-Site": "cross-site"},
    ],
)
@pytest.mark.parametrize("path", ["/runs/second/notes", "/runs/second/notes/remove", "/sign-in"])
def test_another_site_writes_nothing(
    client: TestClient, runs: Path, path: str, headers: dict[str, str]
) -> None:
    data = {**NOTE, "note": "0", "token": "x"}
    answer = client.post(path, data=data, headers=headers)
    assert answer.status_code == 403
    assert "came from another site" in answer.text
    assert not (runs / "second" / "notes.jsonl").exists()


def test_notes_are_not_written_by_get(client: TestClient, runs: Path) -> None:
    assert client.get("/runs/second/notes", params=NOTE).status_code in (404, 405)
    assert not (runs / "second" / "notes.jsonl").exists()


def test_headers_keep_pages_apart_from_other_sites(client: TestClient) -> None:
    for path in (*PATHS, "/none", "/vendored/htmx.min.js"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "script-src 'self';" in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"


def test_a_large_form_is_refused(client: TestClient) -> None:
    answer = client.post("/runs/second/notes", data={**NOTE, "text": "x" * 300_000})
    assert answer.status_code == 413


def test_other_machines_need_a_token(cli: Cli, runs: Path) -> None:
    ran = cli("view", runs, "--host", "192.0.2.7")
    assert ran.code == 2
    assert "give a token of at least 16 characters" in ran.err
    assert cli("view", runs, "--host", "192.0.2.7", "--token", "short").code == 2
