"""Requests that try to reach another person's conversation, or to act for a person from a site."""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

pytest.importorskip("fastapi")

from fastapi.testclient import TestClient

from tests.apps.web.test_chat import client
from tests.cases import for_each
from wardround.apps.web.signed_in import SignedIn
from wardround.assistant.users import User, token_digest

LINES = Path(__file__).with_name("chat_attacks.txt").read_text().splitlines()
TOKENS = {"ann": "a-long-token-of-ann", "bob": "a-long-token-of-bob"}
QUESTION = "Is Quentin Zephyr on a ward?"


class Served:
    """A server with a conversation of each person, and the names of both in attacks."""

    def __init__(self, page: TestClient) -> None:
        self.page = page
        self.cookies = {name: self._signed_in(name) for name in TOKENS}
        self.conversations = {name: self._asked(name) for name in TOKENS}
        self.places = {
            "{bobs}": self.conversations["bob"],
            "{anns}": self.conversations["ann"],
            "{bobs-token}": TOKENS["bob"],
            "{anns-token}": TOKENS["ann"],
            "{bobs-digest}": token_digest(TOKENS["bob"]),
            "{bobs-question}": QUESTION,
        }

    def send(self, who: str, method: str, path: str, headers: str, body: str) -> tuple[int, str]:
        """The status and text of the answer to a request of a line."""
        sent = dict(each.split(": ", 1) for each in headers.split(";;") if each)
        if who == "ann":
            sent["Cookie"] = self.cookies["ann"]
        if who == "ann-token":
            sent["Authorization"] = f"Bearer {TOKENS['ann']}"
        sent.setdefault("Content-Type", "application/x-www-form-urlencoded")
        self.page.cookies.clear()
        answer = self.page.request(
            method, path, headers=sent, content=body.encode(), follow_redirects=False
        )
        return answer.status_code, answer.text

    def _signed_in(self, name: str) -> str:
        signed = self.page.post("/sign-in", data={"token": TOKENS[name]}, follow_redirects=False)
        self.page.cookies.clear()
        return signed.headers["set-cookie"].partition(";")[0]

    def _asked(self, name: str) -> str:
        question = QUESTION if name == "bob" else "Which wards are there?"
        asked = self.page.post(
            "/conversations",
            data={"question": question},
            headers={"Cookie": self.cookies[name]},
            follow_redirects=False,
        )
        return asked.headers["location"].rpartition("/")[2].partition("#")[0]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    users = {name: User(token_sha256=token_digest(token)) for name, token in TOKENS.items()}
    with ExitStack() as stack:
        folder = tmp_path_factory.mktemp("attacked")
        yield Served(stack.enter_context(client(folder, signed_in=SignedIn(users))))


@for_each(line for line in LINES if line[0] != "#")
def test_no_request_reaches_another_person(line: str, *, served: Served) -> None:
    for name, value in served.places.items():
        line = line.replace(name, value)
    request, _, allowed = line.rpartition("|")
    who, method, path, headers, body = request.split("|", 4)
    status, text = served.send(who, method, path, headers, body)
    assert str(status) in allowed.split(",")
    assert re.search("Zephyr|Two wards|root:", text) is None


def test_another_persons_conversation_is_as_unknown_as_none(served: Served) -> None:
    of_bob = served.send("ann", "GET", f"/conversations/{served.conversations['bob']}", "", "")
    of_nobody = served.send("ann", "GET", "/conversations/20260101-0123456789abcdef", "", "")
    assert of_bob == of_nobody
    assert (
        served.send("ann", "GET", f"/conversations/{served.conversations['ann']}", "", "")[0] == 200
    )


def test_attacks_left_a_conversation_as_it_was(served: Served) -> None:
    shown = served.page.get(
        f"/conversations/{served.conversations['bob']}", headers={"Cookie": served.cookies["bob"]}
    )
    assert shown.text.count('class="asked"') == 1
    assert "You called this" not in shown.text
