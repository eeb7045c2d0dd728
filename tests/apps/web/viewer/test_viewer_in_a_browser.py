"""The pages of `wardround view` in a real browser: by keyboard, live, without scripts, offline."""

import json
import shutil
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from tests.browser import PROGRAM, Browser, browser
from tests.cases import for_each
from tests.served import served
from wardround.apps.web.viewer.application import make_viewer
from wardround.core.run_document import SEAL, TRIALS

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="Chromium is not installed")

FIRST = "/runs/first~1one"
PAGES = (
    "/",
    FIRST,
    f"{FIRST}?words=heparin",
    "/runs/second/trial?task=cough&trial=0&gold=1",
    "/compare?first=first~1one&second=second",
    "/compare/trials?first=first~1one&second=second&task=stroke",
)


@pytest.fixture
def address(runs: Path) -> Iterator[str]:
    with served(make_viewer(runs)) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def page() -> Iterator[Browser]:
    with browser() as opened:
        yield opened


def rows(page: Browser) -> int:
    return int(page.run("document.querySelectorAll('#trials tbody tr').length"))


def test_trials_are_found_and_noted_by_keyboard(page: Browser, address: str) -> None:
    page.open(address)
    page.tab_to("#runs a")
    page.press("Enter")
    page.wait("location.pathname.startsWith('/runs/') && document.readyState === 'complete'")
    page.run("window.stays = true")
    page.tab_to("input[name=task]")
    page.type("stroke")
    page.press("Enter")
    page.wait("document.querySelectorAll('#trials tbody tr').length === 2")
    page.tab_to("input[name=words]")
    page.type("nothing like this")
    page.wait("document.querySelector('#trials').textContent.includes('0 found')")
    assert page.run("window.stays")  # no page was loaded
    assert "task=stroke" in page.run("location.search")
    page.run("document.activeElement.select()")
    page.type("colour")
    page.wait("document.querySelectorAll('#trials tbody tr').length === 2")
    page.tab_to("#trials a")
    page.press("Enter")
    page.wait("location.pathname.endsWith('/trial') && document.readyState === 'complete'")
    page.tab_to("input[name=labels]")
    page.type("wrong colour")
    page.tab_to("textarea")
    page.type("It should ask again.")
    page.tab_to(".stacked button")
    page.press("Enter")
    page.wait("document.querySelector('.note .text')?.textContent === 'It should ask again.'")
    assert page.run("location.hash") == "#notes"


def test_a_run_that_goes_on_is_shown_live(page: Browser, address: str, runs: Path) -> None:
    lines = runs / "second" / TRIALS
    (runs / "second" / SEAL).unlink()
    whole = lines.read_bytes().splitlines(keepends=True)
    lines.write_bytes(b"".join(whole[:2]))
    page.open(f"{address}/runs/second")
    assert rows(page) == 2
    page.run("window.stays = true")
    page.tab_to("#trials tbody a")
    focused = page.run("document.activeElement.id")
    lines.write_bytes(b"".join(whole))
    page.wait("document.querySelectorAll('#trials tbody tr').length === 4")
    page.wait("document.querySelector('#state').textContent.includes('2 of 2 tasks were right')")
    assert page.run("window.stays")
    assert page.run("document.activeElement.id") == focused
    page.wait("!document.querySelector('#state[hx-get]')")  # nothing is asked for any more


def test_everything_is_read_without_scripts(page: Browser, address: str) -> None:
    page.send("Emulation.setScriptExecutionDisabled", value=True)
    page.open(f"{address}{FIRST}?outcome=failed&task=stroke")
    assert rows(page) == 2
    page.tab_to("input[name=words]")
    page.type("nothing")
    page.press("Enter")
    page.wait("location.search.includes('words=nothing') && document.readyState === 'complete'")
    assert "0 found" in page.run("document.querySelector('#trials').textContent")


@for_each(PAGES)
def test_no_page_is_wider_than_its_window_or_hard_to_read(
    path: str, *, page: Browser, address: str
) -> None:
    page.open(f"{address}{path}")
    for width, scheme in product((1280, 390), ("light", "dark")):
        page.size(width, 800)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        page.send("Emulation.setEmulatedMedia", features=features)
        assert page.run("document.documentElement.scrollWidth") <= width, (width, scheme)
        light = [
            page.run(f"({LUMINANCE})(getComputedStyle(document.body).{each})")
            for each in ("color", "backgroundColor")
        ]
        assert (max(light) + 0.05) / (min(light) + 0.05) > 7, (width, scheme)


LUMINANCE = """text => {
  const parts = text.match(/[\\d.]+/g).slice(0, 3).map(each => each / 255)
    .map(each => each <= 0.03928 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4);
  return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
}"""


def test_no_page_asks_another_server(page: Browser, address: str) -> None:
    for path in PAGES:
        page.open(f"{address}{path}")
        loaded = page.run(
            "JSON.stringify(performance.getEntriesByType('resource').map(e => e.name))"
        )
        assert all(each.startswith((address, "data:")) for each in json.loads(loaded)), path


def test_what_was_said_does_not_run(page: Browser, address: str, runs: Path) -> None:
    shutil.copytree(runs / "second", runs / "<img src=x onerror=alert(1)>")
    page.send(
        "Page.addScriptToEvaluateOnNewDocument", source="window.alert = () => { window.ran = 1 }"
    )
    for path in (*PAGES, f"{FIRST}/trial?task=stroke&trial=0"):
        page.open(f"{address}{path}")
        assert not page.run("window.ran"), path


def test_people_sign_in_with_the_token(page: Browser, runs: Path) -> None:
    token = "a-token-of-32-characters-at-least"
    with served(make_viewer(runs, token)) as port:
        address = f"http://127.0.0.1:{port}"
        page.open(f"{address}{FIRST}")
        page.wait("location.pathname === '/sign-in'")
        page.wait("document.activeElement.matches('input')")
        page.type("wrong")
        page.press("Enter")
        page.wait("document.querySelector('[role=alert]')")
        page.wait("document.activeElement.matches('input')")
        page.type(token)
        page.press("Enter")
        page.wait("document.querySelector('#runs a')")
        page.open(f"{address}{FIRST}?task=stroke")
        assert rows(page) == 2
